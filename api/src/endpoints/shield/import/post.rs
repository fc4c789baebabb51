//! POST /shield/import: up to 10,000 users at once, by guilds on the allowlist (docs/rules.md 9). A worker
//! runs it.

use std::borrow::Cow;

use entities::{PlayId, guild};
use jobs::kinds::{ShieldImport, ToFlag};
use queue::Draft;
use serde_json::Value;

use crate::call::job::{self, Asked};
use crate::endpoints::prelude::*;
use crate::request::item::Item;
use crate::request::parts::Field;
use crate::request::values::List;
use crate::schema::shape::{self, Property, Shape};

/// Users of one call (docs/rules.md 3).
const USERS_MAX: usize = 10_000;

type Reason = Text<1000>;

request! {
    pub(crate) struct ShieldImportRequest {
        users: List<User, USERS_MAX>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ShieldImported {
    #[schema(example = 12)]
    imported: u64,
    /// Users of the call who got no flag.
    #[schema(example = 1)]
    skipped: u64,
    /// Each of them, and why.
    skipped_users: Vec<SkippedUser>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SkippedUser {
    #[schema(example = "4815162342")]
    play_id: String,
    /// `already_flagged`, `repeated` (earlier in the same call), or `unknown_user` (to the game platform).
    #[schema(example = "already_flagged")]
    reason: String,
}

pub(crate) fn operation() -> Operation {
    Operation::new("importShield", "Flag many users")
        .about("Only for guilds on the Shield allowlist. Users who are flagged already, repeated or unknown are skipped.")
        .body::<ShieldImportRequest>()
        .data::<ShieldImported>()
        .job()
        .refuses(403, &["not_on_allowlist"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let guild = guild::find(call.read(), call.guild()).await?;
    if !guild.is_some_and(|guild| guild.shield_writer) {
        let message = "this guild is not on the Shield allowlist: the operator of this service can add it";
        return Err(ApiError::forbidden("not_on_allowlist", message));
    }
    let ShieldImportRequest { users: List(users) } = call.body()?;
    let users: Vec<ToFlag> = users.into_iter().map(|user| user.0).collect();
    if users.is_empty() {
        return Reply::data(&ShieldImported { imported: 0, skipped: 0, skipped_users: Vec::new() });
    }
    let plays: Vec<PlayId> = users.iter().map(|user| user.play_id).collect();
    let total = plays.len();
    call.room_for(call.read(), Cap::ShieldFlags, plays.len() as u64).await?;
    let payload = ShieldImport { guild: call.guild(), by: call.caller.user(), users };
    let draft = Draft::new(call.guild(), &payload, call.actor())?;
    let draft = draft.total(i64::try_from(total).unwrap_or(i64::MAX));
    let asked = Asked {
        action: "shield.import_requested",
        target: call.guild().to_string(),
        metadata: json!({ "users": total }),
    };
    let done = |result| {
        // The worker has published it; checks in this process see it before the response.
        call.state.caches.flags.change(&plays);
        Reply::data(&result)
    };
    job::run_draft(&call, draft, asked, done).await
}

/// An item of `users`.
#[derive(Debug)]
pub(crate) struct User(ToFlag);

impl Field for User {
    fn allowed() -> Cow<'static, str> {
        format!("an object with `play_id` ({}) and `reason` ({})", PlayId::allowed(), Reason::allowed())
            .into()
    }

    fn read(sent: &Value) -> Option<Self> {
        Self::of(Item { name: "", sent }).ok()
    }

    fn shape() -> Shape {
        let field = |name, shape| Property { name, required: true, shape };
        shape::object([field("play_id", PlayId::shape()), field("reason", Reason::shape())])
    }

    fn refuse(name: &str, sent: &Value) -> ApiError {
        let whole = ApiError::field(name, sent, &Self::allowed());
        if sent.is_object() { Self::of(Item { name, sent }).err().unwrap_or(whole) } else { whole }
    }
}

impl User {
    fn of(item: Item) -> Result<Self, ApiError> {
        let (play_id, Text(reason)) = (item.required("play_id")?, item.required::<Reason>("reason")?);
        Ok(Self(ToFlag { play_id, reason }))
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
