//! The control side of `guildhall simulate`.

mod chat;

use serde_json::{Value, json};

use crate::client::http_client;
use crate::fixture::{Guild, Member};

pub struct Simulator {
    http: reqwest::Client,
    pub base: String,
    /// Other tests use it too: a test must not read or change what concerns all guilds.
    shared: bool,
}

#[derive(Debug, Clone)]
pub struct Update {
    /// Since the simulator's start or reset.
    pub at_ms: u64,
    pub guild: String,
    pub user: String,
}

impl Simulator {
    pub fn new(base: &str, shared: bool) -> Self {
        Self { http: http_client(), base: base.to_owned(), shared }
    }

    pub async fn stats(&self) -> Value {
        self.assert_own();
        self.get("/control/stats").await
    }

    pub async fn reset_stats(&self) {
        self.assert_own();
        self.post("/control/stats/reset", Value::Null).await;
    }

    /// Successful updates of members since the start or reset, in order.
    pub async fn updates(&self) -> Vec<Update> {
        self.assert_own();
        let told = self.get("/control/updates").await;
        let update = |row: &Value| Update {
            at_ms: row[0].as_u64().unwrap(),
            guild: row[1].as_str().unwrap().to_owned(),
            user: row[2].as_str().unwrap().to_owned(),
        };
        told["updates"].as_array().unwrap().iter().map(update).collect()
    }

    /// The number of successful updates of one guild's members.
    pub async fn updates_of(&self, guild: &Guild) -> u64 {
        self.get("/control/stats").await["updates_by_guild"][guild.id.as_str()].as_u64().unwrap_or(0)
    }

    /// `chat_id`, `nick`, `roles` as stored by the chat platform.
    pub async fn member(&self, guild: &Guild, chat: &str) -> Value {
        self.get(&format!("/control/chat/guilds/{}/members/{chat}", guild.id)).await
    }

    pub async fn is_right(&self, guild: &Guild, member: &Member) -> bool {
        let found = self.member(guild, &member.chat).await;
        found["roles"] == json!([member.wanted]) && found["nick"] == member.name.as_str()
    }

    /// The number of the guild's members that differ from their bindings.
    pub async fn wrong(&self, guild: &Guild) -> usize {
        let mut wrong = 0;
        for member in &guild.members {
            wrong += usize::from(!self.is_right(guild, member).await);
        }
        wrong
    }

    /// All `members` with their updates, and all `channels`, as stored by the chat platform.
    pub async fn guild_state(&self, guild: &Guild) -> Value {
        self.get(&format!("/control/chat/guilds/{}/state", guild.id)).await
    }

    pub async fn change_member(&self, change: Value) {
        self.post("/control/members", change).await;
    }

    /// Makes a chat user a member.
    pub async fn join(&self, guild: &Guild, chat: &str) {
        self.change_member(json!({ "guild_id": guild.id, "chat_id": chat })).await;
    }

    pub async fn leave(&self, guild: &Guild, chat: &str) {
        self.change_member(json!({ "guild_id": guild.id, "chat_id": chat, "remove": true })).await;
    }

    /// A ban, or its lift, by somebody else than the bot.
    pub async fn change_ban(&self, change: Value) {
        self.post("/control/bans", change).await;
    }

    pub async fn is_banned(&self, guild: &Guild, chat: &str) -> bool {
        let state = self.guild_state(guild).await;
        state["bans"].as_array().unwrap().contains(&chat.into())
    }

    /// Faults and settings of the event stream.
    pub async fn change_stream(&self, change: Value) {
        self.assert_own();
        self.post("/control/gateway", change).await;
    }

    /// What clients of the event stream did.
    pub async fn stream(&self) -> Value {
        self.get("/control/gateway").await
    }

    /// Moves or deletes a role.
    pub async fn change_role(&self, change: Value) {
        self.post("/control/roles", change).await;
    }

    /// So many changes of members, one after the other, as they happen on the platforms. Returns them.
    pub async fn live(&self, steps: usize) -> Vec<Value> {
        let made = self.post("/control/life", json!({ "steps": steps })).await;
        made["changes"].as_array().unwrap().clone()
    }

    /// What life did, and which of it was `undone`.
    pub async fn life(&self) -> Value {
        self.get("/control/life").await
    }

    /// The text in a player's profile, and when the account was made.
    pub async fn change_profile(&self, change: Value) {
        self.post("/control/profiles", change).await;
    }

    /// The accounts elsewhere that a chat user has connected.
    pub async fn change_connections(&self, change: Value) {
        self.post("/control/connections", change).await;
    }

    /// Injects a fault into the route's next responses; see `guildhall simulate`.
    pub(crate) async fn fault(&self, fault: Value) {
        self.post("/control/faults", fault).await;
    }

    /// Like the developer portal.
    pub async fn set_members_intent(&self, on: bool) {
        self.assert_own();
        self.post("/control/intents", json!({ "guild_members": on })).await;
    }

    /// Removes faults; `query` may name a guild.
    pub(crate) async fn clear_faults(&self, query: &str) {
        self.delete(&format!("/control/faults{query}")).await;
    }

    #[track_caller]
    fn assert_own(&self) {
        assert!(!self.shared, "needs a deployment of its own: both_modes!(name(own))");
    }

    /// What the bot has written to this person, the oldest first.
    pub async fn messages_to(&self, chat: &str) -> Vec<String> {
        let told = self.get(&format!("/control/messages?chat_id={chat}")).await;
        let texts = told["messages"].as_array().into_iter().flatten();
        texts.filter_map(|message| message["content"].as_str().map(str::to_owned)).collect()
    }

    async fn get(&self, path: &str) -> Value {
        let response = self.http.get(format!("{}{path}", self.base)).send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "simulator: {path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Null if the answer has no body.
    async fn post(&self, path: &str, body: Value) -> Value {
        let response = self.http.post(format!("{}{path}", self.base)).json(&body).send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "simulator: {path}: {status} {text}");
        if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() }
    }

    async fn delete(&self, path: &str) {
        let response = self.http.delete(format!("{}{path}", self.base)).send().await.unwrap();
        assert!(response.status().is_success(), "simulator: {path}: {}", response.status());
    }
}
