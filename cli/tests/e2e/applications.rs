//! `/guilds/:guildId/application-...` (docs/rules.md 7): panels, submissions, and their tickets.

mod commands;
mod create_ticket;
mod deciding;
mod on_page;
mod panels;
mod publishing;
mod submissions;

use serde_json::{Value, json};

use testkit::{Answer, Deployment};

/// The calls of these tests.
trait Applying {
    fn deployment(&self) -> &Deployment;

    fn applications(&self, rest: &str) -> String {
        format!("/guilds/{}/application-{rest}", self.deployment().guild().id)
    }

    fn create_ticket(&self, submission: i64) -> String {
        self.applications(&format!("submissions/{submission}/create-ticket"))
    }

    /// Creates panel 1 and submissions to it from the first members, numbered from 1.
    async fn apply(&self, submissions: usize) {
        let api = self.deployment().api();
        api.post(&self.applications("panels"), json!({ "panel_id": 1, "name": "Staff Team!" })).await.ok();
        for member in &self.deployment().guild().members[..submissions] {
            let body = json!({ "panel_id": 1, "chat_id": member.chat, "answers": { "why": "because" } });
            api.post(&self.applications("submissions"), body).await.ok();
        }
    }

    async fn ticket(&self, submission: i64) -> Answer {
        self.deployment().api().post(&self.create_ticket(submission), json!({ "panel_id": 1 })).await
    }

    /// The first guild's channels on the chat platform.
    async fn channels(&self) -> Vec<Value> {
        let url =
            format!("{}/guilds/{}/channels", self.deployment().simulator.base, self.deployment().guild().id);
        let request = testkit::http_client().get(url).header("authorization", "Bot test-token");
        let mut channels: Vec<Value> = request.send().await.unwrap().json().await.unwrap();
        channels.retain(|channel| channel["name"] != "general");
        channels
    }

    /// Creates a category in which the role may see its channels; returns it.
    async fn category(&self, role: &str) -> Value {
        let overwrite = json!({ "id": role, "type": 0, "allow": "1024", "deny": "0" });
        let category = json!({ "name": "tickets", "type": 4, "permission_overwrites": [overwrite] });
        let url =
            format!("{}/guilds/{}/channels", self.deployment().simulator.base, self.deployment().guild().id);
        let request = testkit::http_client().post(url).header("authorization", "Bot test-token");
        request.json(&category).send().await.unwrap().json().await.unwrap()
    }

    /// Adds a panel that asks one question of each kind; returns its number.
    async fn panel(&self, more: Value) -> Value {
        let mut panel = json!({ "name": "Events team", "questions": [
            { "label": "Name", "kind": "text", "required": false },
            { "label": "Why?", "kind": "paragraph" },
            { "label": "Team", "kind": "choice", "options": ["Red", "Blue"] },
            { "label": "Rules read?", "kind": "agree" },
        ] });
        for (name, value) in more.as_object().unwrap() {
            panel[name] = value.clone();
        }
        self.deployment().api().post(&self.applications("panels"), panel).await.ok()["panel_id"].clone()
    }

    /// An application for a panel, with answers to the questions of [`Applying::panel`].
    async fn applied(&self, panel: &Value, applicant: &str) -> Value {
        let answers = json!({ "Why?": "I like order", "Team": "Red", "Rules read?": true });
        let body = json!({ "panel_id": panel, "chat_id": applicant, "answers": answers });
        self.deployment().api().post(&self.applications("submissions"), body).await.ok()
    }

    /// Creates a submission to the panel, and calls create-ticket for it.
    async fn ticket_of_panel(&self, panel: &Value, applicant: &str) -> Answer {
        let api = self.deployment().api();
        let body = json!({ "panel_id": panel["panel_id"], "chat_id": applicant });
        let submission = api.post(&self.applications("submissions"), body).await.ok();
        let path = self.create_ticket(submission["submission_id"].as_i64().unwrap());
        api.post(&path, json!({ "panel_id": panel["panel_id"] })).await
    }

    /// The number of channels on the chat platform, of both guilds.
    async fn channels_created(&self) -> u64 {
        let mut channels = 0;
        for guild in &self.deployment().fixture.guilds {
            let state = self.deployment().simulator.guild_state(guild).await;
            channels += state["channels"].as_array().unwrap().len() as u64;
        }
        channels
    }
}

impl Applying for Deployment {
    fn deployment(&self) -> &Deployment {
        self
    }
}

/// The roles of the guild's staff, which are two.
async fn staff_roles(deployment: &Deployment) -> Vec<String> {
    let staff = deployment.api().get(&format!("/staff/members/{}", deployment.guild().id)).await.ok();
    let role = |member: &Value| member["role_id"].as_str().unwrap().to_owned();
    let mut roles: Vec<String> = staff["members"].as_array().unwrap().iter().map(role).collect();
    roles.sort_unstable();
    roles.dedup();
    assert_eq!(roles.len(), 2, "{staff}");
    roles
}
