//! A game server, in each of the ways in which one may be written.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use testkit::http_client;

use super::way::Way;
use super::world::World;

const PLACE: i64 = 77;
const HEARTBEAT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_secs(5);
const FOLLOW: Duration = Duration::from_secs(15);
const RECHECK: Duration = Duration::from_secs(60);

pub(super) struct Server {
    world: Arc<World>,
    way: Way,
    number: usize,
    id: String,
    http: Client,
    base: String,
    key: String,
}

impl Server {
    pub(super) fn new(
        world: Arc<World>,
        way: Way,
        (number, life): (usize, &str),
        (base, key): (String, &str),
    ) -> Self {
        let id = format!("{way:?}-{life}-{number}");
        Self { world, way, number, id, http: http_client(), base, key: key.to_owned() }
    }

    pub(super) async fn run(self) {
        match self.way {
            Way::Hand => tokio::join!(self.heartbeat(), self.poll(), self.recheck()).0,
            Way::Lists => tokio::join!(self.heartbeat(), self.poll(), self.follow()).0,
            Way::Tick => self.tick(0).await,
            Way::Held | Way::Sdk => self.tick(20).await,
        }
    }

    async fn get(&self, path: &str) -> Result<Value, Duration> {
        self.send(self.http.get(format!("{}{path}", self.base))).await
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, Duration> {
        self.send(self.http.post(format!("{}{path}", self.base)).json(body)).await
    }

    /// The data, or how long to wait.
    async fn send(&self, request: RequestBuilder) -> Result<Value, Duration> {
        let later = Duration::from_secs(5);
        let answer = request.header("x-api-key", &self.key).send().await.map_err(|_| later)?;
        self.world.answered(answer.status().as_u16());
        let wait = answer.headers().get("retry-after").and_then(|wait| wait.to_str().ok()?.parse().ok());
        if !answer.status().is_success() {
            return Err(wait.map_or(later, Duration::from_secs));
        }
        Ok(answer.json::<Value>().await.map_err(|_| later)?["data"].take())
    }

    async fn heartbeat(&self) {
        loop {
            let body =
                json!({ "server_id": self.id, "place_id": PLACE, "universe_id": 7, "player_count": 30 });
            let sent = self.post("/play/servers/heartbeat", &body).await;
            tokio::time::sleep(sent.err().unwrap_or(HEARTBEAT)).await;
        }
    }

    async fn poll(&self) {
        loop {
            let polled = self.get(&format!("/play/servers/{}/commands", self.id)).await;
            let Ok(data) = &polled else {
                tokio::time::sleep(polled.err().unwrap_or(POLL)).await;
                continue;
            };
            for command in data["commands"].as_array().into_iter().flatten() {
                self.kick(&command["target_id"]);
                let id = command["id"].as_str().unwrap_or_default();
                let path = format!("/play/servers/{}/commands/{id}/ack", self.id);
                let _refused_is_counted: Result<_, _> = self.post(&path, &json!({ "status": "ok" })).await;
            }
            tokio::time::sleep(POLL).await;
        }
    }

    async fn recheck(&self) {
        loop {
            for player in self.world.players_of(self.number) {
                let path = format!("/moderation/{}/ban-status/{player}?place_id={PLACE}", self.world.guild);
                match self.get(&path).await {
                    Ok(data) if data["banned"] == true => self.world.kick(self.number, player),
                    Ok(_) => {}
                    Err(wait) => tokio::time::sleep(wait).await,
                }
            }
            tokio::time::sleep(RECHECK).await;
        }
    }

    async fn follow(&self) {
        let mut since = String::new();
        loop {
            let path = format!("/moderation/{}/play/bans/active?place_id={PLACE}{since}", self.world.guild);
            let wait = match self.get(&path).await {
                Ok(data) => {
                    since = format!("&since={}", data["revision"]);
                    data["bans"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .for_each(|ban| self.kick(&ban["identifier"]));
                    FOLLOW
                }
                Err(wait) => wait,
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn tick(&self, wait: u64) {
        let (mut sequence, mut state, mut results) = (1, Value::Null, Vec::new());
        loop {
            let body = json!({
                "server_id": self.id, "place_id": PLACE, "universe_id": 7, "sequence": sequence, "results": results,
                "players": self.world.players_of(self.number), "since": state, "wait_seconds": wait,
            });
            let next = match self.post("/play/servers/tick", &body).await {
                Ok(data) => {
                    (sequence, state) = (sequence + 1, data["state"].clone());
                    let players = data["players"].as_array().into_iter().flatten();
                    players
                        .filter(|player| !player["ban"].is_null())
                        .for_each(|player| self.kick(&player["play_id"]));
                    let commands = data["commands"].as_array().into_iter().flatten();
                    results = commands
                        .map(|command| {
                            self.kick(&command["target_id"]);
                            json!({ "command_id": command["id"], "status": "ok" })
                        })
                        .collect();
                    Duration::from_secs_f64(data["next_in_seconds"].as_f64().unwrap_or(10.0))
                }
                Err(wait) => wait,
            };
            tokio::time::sleep(next).await;
        }
    }

    fn kick(&self, player: &Value) {
        let id = player.as_i64().or_else(|| player.as_str()?.parse().ok());
        if let Some(id) = id {
            self.world.kick(self.number, id);
        }
    }
}
