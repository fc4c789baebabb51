//! One object of each kind in a guild, created through the API; and ids that exist in no guild.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{Api, Deployment, Guild, Member, eventually};

/// Ids of objects outside the service, or free text: they reveal nothing about another guild.
pub const OUTSIDE: [&str; 10] = [
    "target_id",
    "group_id",
    "group_role_id",
    "place_id",
    "placeId",
    "universe_id",
    "universeId",
    "category_id",
    "accept_role_id",
    "staff_role_ids",
];

/// The kind of object that a path parameter, a filter or a body field names.
pub fn kind_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "publicId" => "key",
        "banId" => "ban",
        "bindingId" | "binding_id" => "binding",
        "jobId" => "job",
        "loaId" => "loa",
        "requestId" => "leave_request",
        "strikeId" => "strike",
        "noteId" => "note",
        "quotaId" => "quota",
        "channelId" | "channel_id" => "channel",
        "webhookId" => "webhook",
        "deliveryId" => "delivery",
        "importId" => "import",
        "actionId" => "action",
        "session_id" => "session",
        "serverId" | "server_id" => "server",
        "commandId" | "command_id" => "command",
        "attemptId" => "attempt",
        "panelId" | "panel_id" => "panel",
        "submissionId" | "submission_id" => "submission",
        "roleId" | "role_id" => "role",
        "chatId" | "chat_id" | "chat_ids" | "userId" | "user_id" | "staff_id" | "moderator_id" => "chat",
        "playId" | "play_id" | "play_ids" => "play",
        "identifier" => "banned",
        _ => return None,
    })
}

#[derive(Clone)]
pub struct Ids {
    pub guild: String,
    by_kind: BTreeMap<&'static str, Value>,
}

impl Ids {
    pub fn value(&self, name: &str) -> Value {
        let kind = kind_of(name).unwrap_or_else(|| panic!("what is `{name}`?"));
        self.by_kind[kind].clone()
    }

    /// The id as written in a path.
    pub fn text(&self, name: &str) -> String {
        let value = self.value(name);
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }

    /// With another object of this kind.
    #[must_use]
    pub fn with(mut self, kind: &'static str, value: Value) -> Self {
        self.by_kind.insert(kind, value);
        self
    }

    /// Well-formed ids that exist in no guild.
    pub fn unknown() -> Self {
        let nothing = "0190aaaa-0000-7000-8000-00000000beef";
        let mut by_kind: BTreeMap<_, _> = [
            "ban",
            "binding",
            "loa",
            "leave_request",
            "strike",
            "note",
            "quota",
            "action",
            "panel",
            "submission",
            "webhook",
            "import",
        ]
        .map(|kind| (kind, json!(987_654_321)))
        .into();
        by_kind
            .extend(["job", "delivery", "session", "command", "attempt"].map(|kind| (kind, json!(nothing))));
        by_kind.extend([
            ("key", json!("zzzzzzzz")),
            ("server", json!("server-nowhere")),
            ("channel", json!("8999999999999999998")),
            ("role", json!("8999999999999999999")),
            ("chat", json!("1999999999999999999")),
            ("play", json!(987_654_321)),
            ("banned", json!("1999999999999999998")),
        ]);
        Self { guild: "7999999999999999999".to_owned(), by_kind }
    }

    /// `number` is used for the ids that a guild chooses itself.
    pub async fn made(deployment: &Deployment, guild: &Guild, number: i64) -> Self {
        let api = deployment.api().key(&guild.admin_key);
        let [_, officer, idle, ..] = &guild.members[..] else { unreachable!() };
        let banned = &guild.members[6];
        let mut by_kind = staff_records(&api, guild).await;
        let binding = api.get("/bindings/list").await.ok()["bindings"][0]["id"].clone();
        let server = format!("server-{number}");
        // A member, and somebody whom no platform knows.
        let players = [officer.play, 424_242];
        let alive = json!({ "server_id": server, "place_id": 1, "universe_id": 2, "sequence": 1, "players": players });
        api.post("/play/servers/tick", alive).await.ok();
        let command = json!({ "type": "kick", "target_id": "5" });
        let command = api.post(&format!("/play/servers/{server}/commands"), command).await.ok();
        let applications = |rest: &str| format!("/guilds/{}/application-{rest}", guild.id);
        api.post(&applications("panels"), json!({ "panel_id": number, "name": "Team" })).await.ok();
        let submission = json!({ "panel_id": number, "submission_id": number + 1, "chat_id": idle.chat });
        api.post(&applications("submissions"), submission).await.ok();
        let comment = applications(&format!("submissions/{}/comments", number + 1));
        api.post(&comment, json!({ "text": "known" })).await.ok();
        let impose = async |verb: &str| {
            let body = json!({ "identifier": banned.chat, "reason": "spam", "moderator_id": officer.chat });
            api.post(&format!("/moderation/{}/play/{verb}", guild.id), body).await.ok()["id"].clone()
        };
        let joined = json!({ "chat_id": guild.members[8].chat });
        let attempt = api.post(&format!("/guilds/{}/link-attempts", guild.id), joined).await.ok();
        let ban = impose("ban").await;
        impose("mute").await;
        // A player whom only another guild knows.
        let stranger =
            [deployment.guild(), deployment.other_guild()].into_iter().find(|other| other.id != guild.id);
        let stranger = stranger.unwrap().members[9].play;
        let bans = json!({ "bans": [{ "play_id": stranger, "reason": "spam" }] });
        let import = api.post(&format!("/moderation/{}/bans/import", guild.id), bans).await.ok();
        let key = json!({ "name": "spare", "scopes": ["read"] });
        let key = api.post(&format!("/guilds/{}/keys", guild.id), key).await.ok();
        // Nobody listens there; off, so that its place in the log stays.
        let (hooks, hook) = (
            format!("/guilds/{}/webhooks", guild.id),
            json!({ "url": "http://127.0.0.1:9/", "events": ["*"] }),
        );
        let hook = api.post(&hooks, hook).await.ok()["id"].clone();
        // The first channel of a simulated guild has the guild's id.
        let log = json!({ "news": ["tickets"], "enabled": false });
        api.send(Method::PUT, &format!("/guilds/{0}/log-channels/{0}", guild.id), Some(log)).await.ok();
        let delivery = api.post(&format!("{hooks}/{hook}/test"), json!({})).await.ok()["id"].clone();
        api.delete(&format!("/jobs/{}", delivery.as_str().unwrap())).await.ok();
        api.patch(&format!("{hooks}/{hook}"), json!({ "enabled": false })).await.ok();
        api.post("/interactions/sync", json!({ "user_id": guild.right().chat })).await.ok();
        by_kind.extend([
            ("attempt", attempt["attempt"]["id"].clone()),
            ("ban", ban),
            ("import", import["import_id"].clone()),
            ("webhook", hook),
            ("channel", json!(guild.id)),
            ("delivery", delivery),
            ("binding", binding),
            ("key", key["public_id"].clone()),
            ("job", ended_job(&api, guild).await),
            ("server", json!(server)),
            ("command", command["id"].clone()),
            ("panel", json!(number)),
            ("submission", json!(number + 1)),
            ("role", json!(guild.roles[3])),
            ("chat", json!(officer.chat)),
            ("play", json!(officer.play)),
            ("banned", json!(banned.chat)),
        ]);
        Self { guild: guild.id.clone(), by_kind }
    }
}

/// Waits until all jobs of the guild have ended, those of bans too. Returns the newest one.
async fn ended_job(api: &Api, guild: &Guild) -> Value {
    eventually("all jobs ended", Duration::from_secs(20), async || {
        let jobs = api.get(&format!("/guilds/{}/jobs", guild.id)).await.ok()["jobs"].clone();
        let all = jobs.as_array().unwrap();
        all.iter().all(|job| !job["finished_at"].is_null()).then(|| all[0]["id"].clone())
    })
    .await
}

async fn staff_records(api: &Api, guild: &Guild) -> BTreeMap<&'static str, Value> {
    let [_, officer, idle, ..] = &guild.members[..] else { unreachable!() };
    let path = |rest: &str| format!("/guilds/{}/staff/{rest}", guild.id);
    let add = async |rest: &str, body: Value| api.post(&path(rest), body).await.ok()["id"].clone();
    let leave = json!({ "staff_id": idle.chat, "starts_at": "2040-07-01T00:00:00Z",
                        "ends_at": "2040-08-01T00:00:00Z", "reason": "family" });
    let strike = json!({ "staff_id": officer.chat, "reason": "late", "severity": 2 });
    let quota = json!({ "name": "weekly", "metric": "kick", "target": 2, "period": "all",
                        "requires_approval": true });
    let asked = json!({ "staff_id": idle.chat, "starts_at": "2041-07-01T00:00:00Z",
                        "ends_at": "2041-08-01T00:00:00Z", "reason": "exams" });
    let request = add("leave-requests", asked).await;
    let (loa, strike) = (add("loa", leave).await, add("strikes", strike).await);
    let note = add("notes", json!({ "staff_id": officer.chat, "body": "good" })).await;
    let quota = add("quota", quota).await;
    let place = json!({ "play_id": idle.play, "place_id": 77, "server_id": "duty" });
    let session = api.post("/staff/play/session/start", place).await.ok()["session_id"].clone();
    let action = json!({ "session_id": session, "action_type": "kick", "target_id": "20000001" });
    api.post("/staff/play/action", action).await.ok();
    let waiting = api.get(&path("quota-pending")).await.ok()["pending"][0]["id"].clone();
    [
        ("loa", loa),
        ("leave_request", request),
        ("strike", strike),
        ("note", note),
        ("quota", quota),
        ("session", session),
        ("action", waiting),
    ]
    .into()
}

/// Starts a session of the staff member and returns its id.
pub async fn go_on_duty(api: &Api, member: &Member) -> String {
    let place = json!({ "play_id": member.play, "place_id": 77, "server_id": "server-1" });
    api.post("/staff/play/session/start", place).await.ok()["session_id"].as_str().unwrap().to_owned()
}
