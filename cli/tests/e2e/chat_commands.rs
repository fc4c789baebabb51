//! Commands of the chat platform (docs/rules.md 13): the simulator sends them as the platform does, and shows what people see.

mod applying;
mod door;
pub(crate) mod linking;
mod moderating;
mod serving;
mod staff;
mod stream;

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Deployment, Guild, eventually};

/// The longest wait for a message that is changed later.
const WITHIN: Duration = Duration::from_secs(30);

/// What a person has in view after they did something.
pub(crate) struct Seen {
    user: String,
    pub(crate) interaction: String,
    message: String,
    pub(crate) state: Value,
}

impl Seen {
    async fn of(deployment: &Deployment, user: &str, report: &Value) -> Self {
        assert_eq!(report["status"], 200, "{report}");
        let text = |name: &str| report[name].as_str().unwrap_or_default().to_owned();
        let interaction = text("interaction_id");
        let state = deployment.simulator.seen(&interaction).await;
        assert_eq!(state["failed"], Value::Null, "{state}");
        Self { user: user.to_owned(), interaction, message: text("message_id"), state }
    }

    pub(crate) fn text(&self) -> &str {
        self.state["content"].as_str().unwrap_or_default()
    }

    /// The ids of the buttons, by their labels.
    fn button(&self, label: &str) -> String {
        let buttons = self.state["components"][0]["components"].as_array().cloned().unwrap_or_default();
        let found = buttons.iter().find(|button| button["label"] == label);
        let id = found.unwrap_or_else(|| panic!("no {label:?} in {}", self.state))["custom_id"].as_str();
        id.unwrap().to_owned()
    }

    pub(crate) async fn press(&self, deployment: &Deployment, label: &str) -> Self {
        self.press_as(deployment, &self.user, label).await
    }

    pub(crate) async fn press_as(&self, deployment: &Deployment, user: &str, label: &str) -> Self {
        let report = deployment.simulator.press(user, &self.message, &self.button(label)).await;
        Self::of(deployment, user, &report).await
    }

    pub(crate) async fn fill(&self, deployment: &Deployment, field: &str, text: &str) -> Self {
        self.fill_all(deployment, json!({ field: text })).await
    }

    /// Answers the form; a choice has a list of values.
    async fn fill_all(&self, deployment: &Deployment, fields: Value) -> Self {
        let id =
            self.state["modal"]["custom_id"].as_str().unwrap_or_else(|| panic!("no form: {}", self.state));
        let report = deployment.simulator.submit(&self.user, &self.interaction, id, fields).await;
        Self::of(deployment, &self.user, &report).await
    }

    /// The message once it says this: it is changed later.
    pub(crate) async fn until(mut self, deployment: &Deployment, words: &str) -> Self {
        self.state = eventually(words, WITHIN, async || {
            let state = deployment.simulator.seen(&self.interaction).await;
            state["content"].as_str().is_some_and(|text| text.contains(words)).then_some(state)
        })
        .await;
        self
    }

    #[track_caller]
    pub(crate) fn says(&self, words: &[&str]) {
        for word in words {
            assert!(self.text().contains(word), "{word:?} in {:?}", self.text());
        }
        assert_eq!(self.state["ephemeral"], true, "{}", self.state);
    }
}

/// A button that the platform no longer shows to this person; the answer.
async fn forged(deployment: &Deployment, user: &str, button: &str) -> Value {
    let data = json!({ "component_type": 2, "custom_id": button });
    let mut body = door::interaction(deployment, user, 3, data);
    body["message"] = json!({ "id": "1", "flags": 64 });
    let (status, answer) = door::send_signed(deployment, body.to_string().into_bytes()).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

/// People see commands: processes register them beside their start.
async fn registered(deployment: &Deployment) {
    eventually("the commands are there", WITHIN, async || {
        (!deployment.simulator.commands().await.is_empty()).then_some(())
    })
    .await;
}

/// Somebody types a command.
pub(crate) async fn typed(deployment: &Deployment, user: &str, command: &str, options: Value) -> Seen {
    typed_in(deployment, deployment.guild(), user, command, options).await
}

pub(crate) async fn typed_in(
    deployment: &Deployment,
    guild: &Guild,
    user: &str,
    command: &str,
    options: Value,
) -> Seen {
    let report = deployment.simulator.interact(guild, user, command, options).await;
    Seen::of(deployment, user, &report).await
}
