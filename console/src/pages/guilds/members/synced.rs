//! The result of a sync in words.

use entities::RoleId;
use platforms::GuildOverview;
use serde_json::Value;

use crate::visit::GuildVisit;

/// `done`: the data of the API's answer.
pub(super) async fn words(visit: &GuildVisit, member: &str, done: &Value) -> String {
    let overview = visit.platforms().chat.guild_overview(visit.call_context()).await.ok();
    summary(member, done, overview.as_ref())
}

fn summary(member: &str, done: &Value, overview: Option<&GuildOverview>) -> String {
    let named = |id: &Value| {
        let id = id.as_str().unwrap_or("?");
        let role = id.parse::<RoleId>().ok().and_then(|id| overview?.role(id));
        role.map_or_else(|| id.to_owned(), |role| role.name.clone())
    };
    let list = |name: &str| -> Vec<String> {
        done[name].as_array().map(|ids| ids.iter().map(named).collect()).unwrap_or_default()
    };
    let (added, removed) = (list("added_roles"), list("removed_roles"));
    let mut parts = Vec::new();
    if !added.is_empty() {
        parts.push(format!("gave {}", added.join(", ")));
    }
    if !removed.is_empty() {
        parts.push(format!("removed {}", removed.join(", ")));
    }
    if done["nickname_updated"] == true {
        parts.push("set the nickname".to_owned());
    }
    for failed in done["failed_roles"].as_array().into_iter().flatten() {
        let why = failed["reason"].as_str().unwrap_or("Discord refused it");
        parts.push(format!("could not change {}: {why}", named(&failed["role_id"])));
    }
    if let Some(why) = done["nickname_error"].as_str() {
        parts.push(format!("left the nickname: {why}"));
    }
    if parts.is_empty() {
        return format!("Synced {member}: nothing had to change.");
    }
    format!("Synced {member}: {}.", parts.join("; "))
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
