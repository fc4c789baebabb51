//! POST /shield/import: up to 10,000 users at once, by guilds on the allowlist (docs/rules.md 9). A worker does it.

use std::borrow::Cow;

use entities::{PlayId, guild};
use queue::Draft;
use queue::kinds::{ShieldImport, ToFlag};
use serde_json::{Value, json};

use crate::call::Call;
use crate::fields::{Field, Text, whole};
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::job_call::{self, Asked};

/// Users of one call (docs/rules.md 3).
pub(crate) const USERS_MAX: usize = 10_000;

type Reason = Text<1000>;

pub(crate) async fn import(call: Call) -> Result<Reply, ApiError> {
    let guild = guild::find(call.read(), call.guild()).await?;
    if !guild.is_some_and(|guild| guild.shield_writer) {
        let message = "this guild is not on the Shield allowlist: whoever runs this service can put it there";
        return Err(ApiError::forbidden("not_on_allowlist", message));
    }
    let Some(users) = call.fields.list::<User>("users", USERS_MAX)? else {
        let allowed = format!("an array of at most {USERS_MAX} items, each {}", User::allowed());
        return Err(ApiError::missing("users", &allowed));
    };
    let users: Vec<ToFlag> = users.into_iter().map(|user| user.0).collect();
    if users.is_empty() {
        return Reply::data(&json!({ "imported": 0, "skipped": 0 }));
    }
    let total = users.len();
    let payload = ShieldImport { guild: call.guild(), by: call.key.owner(), users };
    let draft = Draft::new(call.guild(), &payload, call.actor())?;
    let draft = draft.total(i64::try_from(total).unwrap_or(i64::MAX));
    let asked = Asked {
        action: "shield.import_requested",
        target: call.guild().to_string(),
        metadata: json!({ "users": total }),
    };
    let done = |result| {
        // Seen by checks in this process before the answer.
        call.app.shield.changed();
        Reply::data(&result)
    };
    job_call::run_draft(&call, draft, asked, done).await
}

/// An item of `users`.
struct User(ToFlag);

impl Field for User {
    fn allowed() -> Cow<'static, str> {
        format!("an object with `play_id` ({}) and `reason` ({})", PlayId::allowed(), Reason::allowed())
            .into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let play_id = PlayId::read(&whole(sent.get("play_id")?))?;
        let Text(reason) = Reason::read(sent.get("reason")?)?;
        Some(Self(ToFlag { play_id, reason }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_an_id_and_a_reason() {
        let read = |sent: Value| User::read(&sent).map(|user| (user.0.play_id.get(), user.0.reason));
        let long = "é".repeat(1000);
        assert_eq!(read(json!({"play_id": 7, "reason": &long, "more": 1})), Some((7, long)));
        assert_eq!(read(json!({"play_id": "7", "reason": "r"})), Some((7, "r".to_owned())));
        for bad in [
            json!(7),
            json!({"play_id": 7}),
            json!({"reason": "r"}),
            json!({"play_id": 0, "reason": "r"}),
            json!({"play_id": 7, "reason": ""}),
            json!({"play_id": 7, "reason": " "}),
            json!({"play_id": 7, "reason": "r".repeat(1001)}),
            json!({"play_id": 7, "reason": null}),
        ] {
            assert_eq!(read(bad.clone()), None, "{bad}");
        }
    }
}
