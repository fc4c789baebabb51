//! People use the bot's commands on the simulated chat platform, and read what it wrote.

use serde_json::{Value, json};

use crate::fixture::Guild;
use crate::simulator::Simulator;

/// Its id is that of the application.
const BOT: &str = "900000000000000001";

impl Simulator {
    /// A person types a command in the guild's first channel: `ban`, or `setup button`. The report has `interaction_id`,
    /// `message_id`, `status`, `took_ms` and `answer`; the product may have refused.
    pub async fn interact(&self, guild: &Guild, user: &str, command: &str, options: Value) -> Value {
        let form = json!({ "guild_id": guild.id, "user_id": user, "command": command, "options": options });
        self.send_interaction(form).await
    }

    /// A person presses a button.
    pub async fn press(&self, user: &str, message: &str, custom_id: &str) -> Value {
        self.send_interaction(json!({ "user_id": user, "message_id": message, "press": custom_id })).await
    }

    /// A person chooses values of a select.
    pub async fn choose(&self, user: &str, message: &str, custom_id: &str, values: &[&str]) -> Value {
        let form = json!({ "user_id": user, "message_id": message, "press": custom_id, "values": values });
        self.send_interaction(form).await
    }

    /// A person submits the modal that this interaction was answered with.
    pub async fn submit(&self, user: &str, interaction: &str, custom_id: &str, fields: Value) -> Value {
        let form =
            json!({ "user_id": user, "interaction_id": interaction, "submit": custom_id, "fields": fields });
        self.send_interaction(form).await
    }

    /// Any interaction, also with a `flaw` in its signature; see `guildhall simulate`.
    pub async fn send_interaction(&self, form: Value) -> Value {
        self.post("/control/interactions", form).await
    }

    /// The answer of an interaction, as the person sees it now.
    pub async fn seen(&self, interaction: &str) -> Value {
        self.get(&format!("/control/interactions/{interaction}")).await
    }

    /// As if the 15 minutes of an interaction were over.
    pub async fn end_interaction(&self, interaction: &str) {
        self.delete(&format!("/control/interactions/{interaction}/token")).await;
    }

    /// The direct messages of the bot to a person, oldest first.
    pub async fn direct_messages(&self, chat: &str) -> Vec<Value> {
        self.messages(&format!("chat_id={chat}")).await
    }

    /// What everybody sees in a channel, oldest first. The guild's first channel has the guild's id.
    pub async fn messages_in(&self, channel: &str) -> Vec<Value> {
        self.messages(&format!("channel_id={channel}")).await
    }

    async fn messages(&self, query: &str) -> Vec<Value> {
        self.get(&format!("/control/messages?{query}")).await["messages"].as_array().unwrap().clone()
    }

    /// Whether a person takes direct messages.
    pub async fn close_direct_messages(&self, chat: &str, closed: bool) {
        self.post("/control/direct-messages", json!({ "chat_id": chat, "closed": closed })).await;
    }

    /// Where interactions of all guilds are sent, without the platform's check; empty: to the event stream.
    pub async fn set_interactions_endpoint(&self, url: &str) {
        self.assert_own();
        self.post("/control/application", json!({ "interactions_endpoint_url": url })).await;
    }

    /// Where people may come back to after signing in, as the application has it.
    pub async fn set_redirects(&self, urls: &[String]) {
        self.assert_own();
        self.post("/control/application", json!({ "redirect_uris": urls })).await;
    }

    /// The commands that people see.
    pub async fn commands(&self) -> Vec<Value> {
        self.bot("GET", Value::Null).await.as_array().unwrap().clone()
    }

    /// Replaces them, as the bot does.
    pub async fn put_commands(&self, commands: Value) {
        self.assert_own();
        self.bot("PUT", commands).await;
    }

    async fn bot(&self, method: &str, body: Value) -> Value {
        let url = format!("{}/applications/{BOT}/commands", self.base);
        let request =
            self.http.request(method.parse().unwrap(), url).header("Authorization", "Bot test-token");
        let request = if body.is_null() { request } else { request.json(&body) };
        request.send().await.unwrap().error_for_status().unwrap().json().await.unwrap()
    }
}
