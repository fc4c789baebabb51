//! Players by their names.

use std::collections::HashMap;

use entities::PlayId;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use super::{BATCHES_AT_ONCE, PlayPlatform};
use crate::context::CallContext;
use crate::error::Result;
use crate::play::Player;
use crate::routes::play as routes;
use crate::wire::Request;

/// Maximum names per `POST /v1/usernames/users`.
const NAMES_PER_CALL: usize = 100;
/// Characters of the longest name.
const LONGEST_NAME: usize = 20;

#[derive(Deserialize)]
struct FoundBody {
    data: Vec<FoundUser>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FoundUser {
    /// As it was sent: another case, or an earlier name.
    requested_username: String,
    id: PlayId,
    name: String,
}

impl PlayPlatform {
    /// `None`: nobody has this name.
    pub async fn find_by_name(&self, call: CallContext, name: &str) -> Result<Option<Player>> {
        let mut found = self.find_by_names(call, &[name.to_owned()]).await?;
        Ok(found.remove(&name.to_lowercase()))
    }

    /// By their names in lower case, because case does not matter. Any number: requested in batches of 100, a few at a
    /// time. Names that nobody has are absent.
    pub async fn find_by_names(
        &self,
        call: CallContext,
        names: &[String],
    ) -> Result<HashMap<String, Player>> {
        let possible: Vec<String> = names.iter().filter(|name| is_possible(name)).cloned().collect();
        let batches: Vec<Vec<String>> = possible.chunks(NAMES_PER_CALL).map(<[_]>::to_vec).collect();
        let answers = batches.into_iter().map(|batch| self.batch_by_name(call, batch));
        stream::iter(answers)
            .buffer_unordered(BATCHES_AT_ONCE)
            .try_fold(HashMap::new(), |mut all, found| async move {
                all.extend(found.data.into_iter().map(|user| {
                    let player = Player { id: user.id, name: user.name, created_at: None };
                    (user.requested_username.to_lowercase(), player)
                }));
                Ok(all)
            })
            .await
    }

    async fn batch_by_name(&self, call: CallContext, names: Vec<String>) -> Result<FoundBody> {
        let url = format!("{}/v1/usernames/users", self.hosts.users);
        let request = Request::new(Method::POST, routes::USERNAMES, url)
            .body(json!({ "usernames": names, "excludeBannedUsers": false }));
        self.wire.json(call, &request).await
    }
}

/// The platform refuses a whole batch for one text that is no name.
fn is_possible(name: &str) -> bool {
    let is_of_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(is_of_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_what_was_asked_for() {
        let body = r#"{"data":[{"requestedUsername":"BUILDERMAN","hasVerifiedBadge":true,"id":156,
            "name":"builderman","displayName":"builderman"}]}"#;
        let found: FoundBody = serde_json::from_str(body).unwrap();
        let user = &found.data[0];
        assert_eq!(
            (&*user.requested_username, user.id.get(), &*user.name),
            ("BUILDERMAN", 156, "builderman")
        );
    }

    #[test]
    fn texts_that_are_no_names_are_not_asked_for() {
        assert!(is_possible("Brick_mason99"));
        for text in ["", "a b", "ä", "a-b", "x\ny", &"x".repeat(21)] {
            assert!(!is_possible(text), "{text:?}");
        }
    }
}
