//! An Undo travels in a cookie, and browsers keep none above 4,096 bytes: the longest texts must be restored
//! too. It takes back what its own save has changed, and a save what its own person has changed.

use serde_json::{Value, json};
use testkit::{Deployment, in_turn};

use testkit::console::Console;

in_turn!(
    a_leave_with_the_longest_reason_is_brought_back,
    settings_with_many_roles_are_taken_back,
    two_tabs_save_settings_beside_each_other,
    an_undo_of_settings_leaves_what_others_have_changed_since
);

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

/// The settings as programs read them.
async fn stored(deployment: &Deployment) -> Value {
    deployment.api().get(&format!("/guilds/{}/settings", deployment.guild().id)).await.ok()
}

async fn two_tabs_save_settings_beside_each_other(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let path = format!("/console/guilds/{}/settings", guild.id);
    let (first, second) = (owner.get(&path).await, owner.get(&path).await);
    let typed = [
        ("strike_days", "30"),
        ("mirror_bans", "yes"),
        ("weight_ban", "9"),
        ("sticky_roles", guild.roles[0].as_str()),
    ];
    owner.press(&first, "Save settings", &typed).await.shows(200, "Settings saved.");
    let other = [("time_zone", "Europe/Berlin"), ("weight_kick", "3")];
    let saved = owner.press(&second, "Save settings", &other).await;
    saved.shows(200, "Settings saved.").has_typed("strike_days", "30");
    let both = stored(deployment).await;
    assert_eq!((&both["strike_days"], &both["mirror_bans"]), (&json!(30), &json!(true)));
    assert_eq!(both["time_zone"], "Europe/Berlin");
    assert_eq!(both["score_weights"], json!({ "ban": 9, "kick": 3 }));
    assert_eq!(both["sticky_roles"], json!([guild.roles[0]]));
    // Both have changed one field: the second person is asked, and keeps what they typed.
    let mine = [("strike_days", "31"), ("accent", "teal")];
    let asked = owner.press(&second, "Save settings", &mine).await;
    asked.shows(409, "Somebody else has changed this since the page was opened.");
    asked.has_typed("strike_days", "31").has_typed("accent", "teal").has_typed("weight_ban", "9");
    assert_eq!(asked.texts("[id='problem-strike_days']").len(), 1);
    assert_eq!(stored(deployment).await, both);
    owner.press(&asked, "Save settings", &[]).await.shows(200, "Settings saved.");
    let mut expected = both.clone();
    expected["strike_days"] = json!(31);
    expected["accent"] = json!("teal");
    assert_eq!(stored(deployment).await, expected);
}

async fn an_undo_of_settings_leaves_what_others_have_changed_since(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let path = format!("/guilds/{}/settings", guild.id);
    let page = owner.get(&format!("/console{path}")).await;
    let before = stored(deployment).await;
    let typed = [("strike_days", "30"), ("week_start", "7")];
    let saved = owner.press(&page, "Save settings", &typed).await;
    let meanwhile = json!({ "strike_days": 20, "time_zone": "Europe/Berlin" });
    deployment.api().patch(&path, meanwhile).await.ok();
    let undone = owner.undo(&saved).await;
    undone.shows(200, "so it stays: Days until a strike expires.");
    let now = stored(deployment).await;
    assert_eq!((&now["strike_days"], &now["week_start"]), (&json!(20), &before["week_start"]));
    assert_eq!(now["time_zone"], "Europe/Berlin");
    // Pressed again in another tab, it changes nothing.
    deployment.api().patch(&path, json!({ "week_start": 3 })).await.ok();
    owner.undo(&saved).await.shows(200, "Nothing was undone.");
    assert_eq!(stored(deployment).await["week_start"], 3);
}
