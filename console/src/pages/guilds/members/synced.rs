//! The result of a sync in words.

use entities::RoleId;
use people::synced;
use platforms::GuildOverview;
use serde_json::Value;

use crate::visit::GuildVisit;

/// `done`: the data of the API's answer.
pub(super) async fn words(visit: &GuildVisit, member: &str, done: &Value) -> String {
    let overview = visit.platforms().chat.guild_overview(visit.call_context()).await.ok();
    summary(member, done, overview.as_ref())
}

fn summary(member: &str, done: &Value, overview: Option<&GuildOverview>) -> String {
    let named = |id: &str| {
        let role = id.parse::<RoleId>().ok().and_then(|id| overview?.role(id));
        role.map_or_else(|| id.to_owned(), |role| role.name.clone())
    };
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
        assert_eq!(summary("Ada", &nothing, None), "Synced Ada: nothing had to change.");
        let failed = json!([{ "role_id": "3", "error": "role_above_bot", "reason": "it stands too high" }]);
        let some = json!({ "added_roles": ["1", "2"], "removed_roles": [], "nickname_updated": true, "failed_roles": failed });
        assert_eq!(
            summary("Ada", &some, None),
            "Synced Ada: gave 1, 2; set the nickname; could not change 3: it stands too high."
        );
    }
}
