//! /sync: brings the roles and the nickname of one member up to date; members do it for themselves.

use entities::job::{Model, State};
use http::Method;
use people::synced;
use serde_json::{Value, json};

use crate::call::{Call, body};
use crate::command::{Command, Outcome};
use crate::definition::Definition;
use crate::follow::follow;
use crate::interaction::Options;
use crate::message::{Message, plain};
use crate::person::{MEMBER, member};

pub(super) struct Sync;

impl Command for Sync {
    fn definition(&self) -> Definition {
        Definition::new("sync", "Bring roles and nickname up to date")
            .option(member("Somebody else, if you may sync members"))
    }

    async fn run(&self, call: &Call, _subcommand: &str, options: &Options) -> Outcome {
        let user = options.read(MEMBER).unwrap_or(call.me());
        let name = call.mention(user);
        let done = call
            .api(Method::POST, "/interactions/sync", body(json!({ "user_id": user.to_string() })))
            .await?;
        if let Some(job) =
            done.data["job_id"].as_str().and_then(|job| job.parse().ok()).filter(|_| done.is_accepted)
        {
            return follow(call, job, move |row| Message::new(of_job(&name, row))).await;
        }
        Ok(Message::new(words(&name, &done.data)).into())
    }
}

fn of_job(name: &str, row: &Model) -> String {
    match row.state {
        State::Succeeded => words(name, row.result.as_ref().unwrap_or(&Value::Null)),
        state if state.is_open() => format!("Synchronizing {name}…"),
        _ => failure(row),
    }
}

/// Why a job did not succeed.
pub(super) fn failure(row: &Model) -> String {
    let why = row.failure().map_or_else(|| "it was cancelled".to_owned(), |failure| plain(&failure.message));
    format!("It did not work: {why}.")
}

/// The result of a sync. The platform shows the present names of roles.
fn words(name: &str, done: &Value) -> String {
    synced(name, done, |id| format!("<@&{id}>"), plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_says_what_changed_and_what_could_not() {
        let nothing = json!({ "added_roles": [], "removed_roles": [], "nickname_updated": false });
        assert_eq!(words("Ada", &nothing), "Synced Ada: nothing had to change.");
        let failed = json!([{ "role_id": "3", "error": "role_above_bot", "reason": "it stands too high" }]);
        let some = json!({ "added_roles": ["1", "2"], "removed_roles": ["4"], "nickname_updated": true, "failed_roles": failed,
                           "nickname_error": "it is the owner" });
        assert_eq!(
            words("Ada", &some),
            "Synced Ada: gave <@&1>, <@&2>; removed <@&4>; set the nickname; could not change <@&3>: it stands too high; left \
             the nickname: it is the owner."
        );
    }
}
