//! The result of a sync in words.

use entities::GuildId;
use people::synced;
use platforms::CallContext;
use serde_json::Value;

use crate::platform_cache::roles::RoleNames;
use crate::visit::Visit;

/// `done`: the data of the API's answer.
pub(crate) async fn words(visit: &Visit, guild: GuildId, member: &str, done: &Value) -> String {
    let roles = visit.console.roles.names(CallContext::interactive(guild)).await;
    summary(member, done, &roles)
}

fn summary(member: &str, done: &Value, roles: &RoleNames) -> String {
    let named = |id: &str| id.parse().map_or_else(|_| id.to_owned(), |id| roles.name(id));
    synced(member, done, named, str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sync_says_what_changed_and_what_could_not() {
        let nothing =
            json!({ "added_roles": [], "removed_roles": [], "nickname_updated": false, "failed_roles": [] });
        assert_eq!(summary("Ada", &nothing, &RoleNames::default()), "Synced Ada: nothing had to change.");
        let failed = json!([{ "role_id": "3", "error": "role_above_bot", "reason": "it stands too high" }]);
        let some = json!({ "added_roles": ["1", "2"], "removed_roles": [], "nickname_updated": true, "failed_roles": failed });
        assert_eq!(
            summary("Ada", &some, &RoleNames::default()),
            "Synced Ada: gave 1, 2; set the nickname; could not change 3: it stands too high."
        );
    }
}
