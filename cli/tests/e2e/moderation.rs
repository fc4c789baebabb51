//! `/moderation/...` (docs/rules.md 4).

mod both_ways;
mod checks;
mod fields;
mod imports;
mod lists;
mod mirror;
mod mirror_limits;
mod people;
mod processes;
mod records;
mod time;

use serde_json::{Value, json};

use testkit::{Answer, Deployment, OUTSIDER};

/// A game account without a link.
const STRANGER: &str = "555001";
/// A chat user without a link.
const STRANGER_CHAT: &str = OUTSIDER;

/// The moderation calls of these tests.
pub(crate) trait Moderating {
    fn deployment(&self) -> &Deployment;

    /// A path below the first guild's moderation.
    fn moderation(&self, rest: &str) -> String {
        format!("/moderation/{}/{rest}", self.deployment().guild().id)
    }

    fn moderator(&self) -> &str {
        &self.deployment().guild().members[0].chat
    }

    async fn sanction(&self, verb: &str, identifier: &str, more: Value) -> Answer {
        let mut body = json!({ "identifier": identifier, "reason": format!("{verb} {identifier}"),
                               "moderator_id": self.moderator() });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.deployment().api().post(&self.moderation(&format!("play/{verb}")), body).await
    }

    /// Bans and returns the ban's id.
    async fn ban(&self, identifier: &str, more: Value) -> i64 {
        self.sanction("ban", identifier, more).await.ok()["id"].as_i64().unwrap()
    }

    async fn unban(&self, identifier: &str, more: Value) -> Answer {
        self.sanction("unban", identifier, more).await
    }

    async fn ban_status(&self, identifier: &str) -> Value {
        self.deployment().api().get(&self.moderation(&format!("ban-status/{identifier}"))).await.ok()
    }

    async fn is_banned(&self, identifier: &str) -> bool {
        self.ban_status(identifier).await["banned"].as_bool().unwrap()
    }

    async fn is_banned_in(&self, identifier: &str, place: i64) -> bool {
        self.is_banned(&format!("{identifier}?place_id={place}")).await
    }

    async fn is_muted(&self, identifier: &str) -> bool {
        let status =
            self.deployment().api().get(&self.moderation(&format!("mute-status/{identifier}"))).await.ok();
        assert_eq!(status["muted"] == true, status["mute_info"].is_object(), "{status}");
        status["muted"].as_bool().unwrap()
    }

    /// The history of bans, newest first.
    async fn ban_history(&self, query: &str) -> Vec<Value> {
        let data = self.deployment().api().get(&self.moderation(&format!("bans?{query}"))).await.ok();
        data["bans"].as_array().unwrap().clone()
    }
}

impl Moderating for Deployment {
    fn deployment(&self) -> &Deployment {
        self
    }
}
