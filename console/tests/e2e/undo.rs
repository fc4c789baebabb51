//! An Undo travels in a cookie, and browsers keep none above 4,096 bytes: the longest texts must be restored
//! too.

use serde_json::json;
use testkit::{Deployment, in_turn};

use testkit::console::Console;

in_turn!(a_leave_with_the_longest_reason_is_brought_back, settings_with_many_roles_are_taken_back);

async fn a_leave_with_the_longest_reason_is_brought_back(deployment: &Deployment) {
    let (guild, api, owner) = (deployment.guild(), deployment.api(), Console::owner(deployment).await);
    let (path, reason) = (format!("/guilds/{}/staff/loa", guild.id), "長".repeat(1000));
    let leave = json!({ "staff_id": guild.members[1].chat, "starts_at": "2040-07-01T00:00:00Z",
                        "ends_at": "2040-08-01T00:00:00Z", "reason": reason });
    let id = api.post(&path, leave).await.ok()["id"].clone();
    owner.get(&format!("/console/guilds/{}/staff/leave", guild.id)).await.shows(200, &reason);
    let remove = format!("/console/guilds/{}/staff/leave/{id}/remove", guild.id);
    let removed = owner.submit(&remove, &[]).await;
    removed.shows(200, "Leave deleted.");
    owner.undo(&removed).await;
    assert_eq!(api.get(&path).await.ok()["loas"][0]["reason"], json!(reason));
}

async fn settings_with_many_roles_are_taken_back(deployment: &Deployment) {
    let (guild, api, owner) = (deployment.guild(), deployment.api(), Console::owner(deployment).await);
    let path = format!("/guilds/{}/settings", guild.id);
    // Roles that were deleted on Discord, for which the form also has boxes.
    let roles: Vec<_> = (0..100).map(|n| (8_000_000_000_000_000_000_i64 + n).to_string()).collect();
    api.patch(&path, json!({ "allowed_privileged_roles": roles })).await.ok();
    let before = api.get(&path).await.ok();
    let page = owner.get(&format!("/console/guilds/{}/settings", guild.id)).await;
    let saved = owner.press(&page, "Save settings", &[("strike_days", "30")]).await;
    saved.shows(200, "Settings saved.");
    owner.undo(&saved).await;
    assert_eq!(api.get(&path).await.ok(), before);
}
