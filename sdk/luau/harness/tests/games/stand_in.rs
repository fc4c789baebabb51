//! A service that answers as a test wants, and one server that uses it.

use std::cell::RefCell;
use std::rc::Rc;

use luau_harness::{Pace, Place, World};
use serde_json::{Value, json};

/// What the stand-in answers and was asked.
#[derive(Default)]
pub(crate) struct Service {
    /// Entries of players who are banned, muted, flagged or staff.
    pub(crate) entries: Vec<Value>,
    /// Until a result was sent.
    pub(crate) commands: Vec<Value>,
    /// Status and `Retry-After` of every call, in place of an answer.
    pub(crate) refusal: Option<(u16, Option<u32>)>,
    pub(crate) asked: Vec<(String, Value)>,
}

pub(crate) type Shared = Rc<RefCell<Service>>;

pub(crate) const URL: &str = "http://service.test";

pub(crate) fn place(job: &str) -> Place {
    Place { job: job.to_owned(), place: 77, universe: 7, studio: false, secret: "gh_key".to_owned() }
}

/// A world with one server, which has not started the SDK.
pub(crate) fn world(seed: u64) -> (World, Shared) {
    let mut world = World::new(seed, Pace::Virtual);
    let service = Shared::default();
    let answering = service.clone();
    world.network().stand_in(move |path, body| answering.borrow_mut().answer(path, body));
    world.add(place("job-1")).unwrap();
    (world, service)
}

/// Starts the SDK, with further options as Luau.
pub(crate) fn start(world: &World, options: &str) {
    let script = format!(
        r#"guildhall = Guildhall.start({{ url = "{URL}", key = game:GetService("HttpService"):GetSecret("guildhall"), {options} }})"#
    );
    world.servers[0].run(&script).unwrap();
    assert!(world.servers[0].seen().failed.is_empty(), "{:?}", world.servers[0].seen().failed);
}

impl Service {
    fn answer(&mut self, path: &str, body: &Value) -> (u16, Vec<(String, String)>, Value) {
        self.asked.push((path.to_owned(), body.clone()));
        if let Some((status, after)) = self.refusal {
            let headers = after.map(|seconds| ("Retry-After".to_owned(), seconds.to_string()));
            let body = json!({ "status": "error", "code": status, "message": "refused", "error": "refused" });
            return (status, headers.into_iter().collect(), body);
        }
        let data = match path {
            "/play/players/check" => json!({ "players": self.entries_of(&body["play_ids"]) }),
            "/play/servers/tick" => self.tick(body),
            "/staff/play/session/start" => {
                json!({ "session_id": "s-1", "started_at": "2026-01-01T00:00:00Z" })
            }
            _ => json!({ "id": 1 }),
        };
        (200, Vec::new(), json!({ "status": "success", "code": 200, "data": data }))
    }

    fn entries_of(&self, ids: &Value) -> Vec<Value> {
        let ids = ids.as_array().unwrap();
        self.entries.iter().filter(|entry| ids.contains(&entry["play_id"])).cloned().collect()
    }

    fn tick(&mut self, body: &Value) -> Value {
        let results: Vec<Value> =
            body["results"].as_array().unwrap().iter().map(|result| result["command_id"].clone()).collect();
        self.commands.retain(|command| !results.contains(&command["id"]));
        json!({
            "guild_id": "100", "state": "s", "next_in_seconds": 10.0, "players": self.entries_of(&body["players"]),
            "commands": self.commands, "acknowledged": results, "ended_sessions": [],
        })
    }

    /// Bodies of the calls of this path.
    pub(crate) fn asked(&self, path: &str) -> Vec<Value> {
        self.asked.iter().filter(|(asked, _)| asked == path).map(|(_, body)| body.clone()).collect()
    }

    pub(crate) fn count(&self, path: &str) -> usize {
        self.asked(path).len()
    }
}

pub(crate) fn ban(user: i64) -> Value {
    json!({ "play_id": user, "ban": { "id": 1, "reason": "spawn camping" } })
}
