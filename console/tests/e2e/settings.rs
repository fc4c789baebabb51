//! /console/guilds/:guild/settings: one form for all settings, compared with the API's answer.

use serde_json::{Value, json};
use testkit::{Deployment, in_turn};

use super::security::set_permissions;
use testkit::console::Console;

in_turn!(
    settings_are_saved_and_taken_back,
    what_is_wrong_stands_at_its_field_and_nothing_is_saved,
    a_nickname_template_is_tried_before_it_is_saved,
    enter_in_a_field_saves,
    staff_who_may_only_read_change_nothing
);

fn settings(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/settings", deployment.guild().id)
}

/// The settings as programs read them.
async fn stored(deployment: &Deployment) -> Value {
    deployment.api().get(&format!("/guilds/{}/settings", deployment.guild().id)).await.ok()
}

async fn settings_are_saved_and_taken_back(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let path = format!("/guilds/{}/settings", guild.id);
    deployment.api().patch(&path, json!({ "mirror_bans": false })).await.ok();
    let before = stored(deployment).await;
    let page = owner.get(&settings(deployment)).await;
    page.shows(200, "Steward").has_typed("strike_days", "90").has_typed("time_zone", "UTC");
    let typed = [
        ("nickname_template", "[{play_id}] {play_username}"),
        ("mirror_bans", "yes"),
        ("mirror_bans_per_hour", "12"),
        ("time_zone", "Europe/Berlin"),
        ("week_start", "7"),
        ("strike_days", "30"),
        ("weight_ban", "9"),
        ("weight_kick", "0"),
        ("allowed_privileged_roles", &guild.privileged_role),
    ];
    let saved = owner.press(&page, "Save settings", &typed).await;
    saved.shows(200, "Settings saved.");
    for (field, value) in typed {
        saved.keeps(field, value);
    }
    let expected = json!({
        "nickname_template": "[{play_id}] {play_username}", "mirror_bans": true, "mirror_bans_per_hour": 12,
        "time_zone": "Europe/Berlin", "week_start": 7, "strike_days": 30, "score_weights": { "ban": 9, "kick": 0 },
        "allowed_privileged_roles": [guild.privileged_role],
    });
    assert_eq!(stored(deployment).await, expected);
    let entry = deployment.audit("settings.update").await[0].clone();
    assert_eq!(
        (&entry["actor_id"], &entry["key_id"]),
        (&json!(guild.members[0].chat), &Value::Null),
        "{entry}"
    );
    owner.undo(&saved).await.shows(200, "Settings saved.").has_typed("strike_days", "90");
    assert_eq!(stored(deployment).await, before);
}

async fn what_is_wrong_stands_at_its_field_and_nothing_is_saved(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let before = stored(deployment).await;
    let page = owner.get(&settings(deployment)).await;
    let number = "Enter a number from 1 to 3650.";
    for (field, typed, said) in [
        ("strike_days", "ninety", number),
        ("strike_days", "0", number),
        ("strike_days", "", number),
        ("mirror_bans_per_hour", "10001", "Enter a number from 0 to 10,000."),
        ("time_zone", "Middle/Earth", "Choose one from the list, such as Europe/Berlin."),
        ("week_start", "8", "Choose a day of the week."),
        ("nickname_template", "{rank}", "."),
    ] {
        let other = if field == "nickname_template" {
            ("strike_days", "31")
        } else {
            ("nickname_template", "VIP {play_id}")
        };
        let form = [(field, typed), other, ("weight_ban", "7")];
        let refused = owner.press(&page, "Save settings", &form).await;
        refused.shows(422, said).keeps(other.0, other.1).keeps("weight_ban", "7");
        if field != "week_start" {
            refused.refuses(field, typed, said);
        }
    }
    let points = owner.press(&page, "Save settings", &[("weight_ban", "-1"), ("strike_days", "31")]).await;
    points.shows(422, "Enter whole numbers").keeps("weight_ban", "-1").keeps("strike_days", "31");
    assert_eq!(stored(deployment).await, before);
}

async fn a_nickname_template_is_tried_before_it_is_saved(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let before = stored(deployment).await;
    let page = owner.get(&settings(deployment)).await;
    let member = &guild.members[0].name;
    assert_eq!(page.row(member), format!("{member} {member}"));
    let typed = [("nickname_template", "VIP {play_username}"), ("strike_days", "31")];
    let tried = owner.press(&page, "Preview nicknames", &typed).await;
    assert_eq!(tried.shows(200, "Save settings").row(member), format!("{member} VIP {member}"));
    tried.keeps("nickname_template", "VIP {play_username}").keeps("strike_days", "31");
    assert_eq!(stored(deployment).await, before);
    let none = owner.press(&tried, "Preview nicknames", &[("nickname_template", "")]).await;
    assert_eq!(none.row(member), format!("{member} left alone"));
    owner.press(&tried, "Save settings", &[]).await.shows(200, "Settings saved.");
    assert_eq!(stored(deployment).await["nickname_template"], "VIP {play_username}");
}

/// A browser presses the first button of the form.
async fn enter_in_a_field_saves(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let form = owner.get(&settings(deployment)).await.form_with("Save settings");
    assert_eq!(form.buttons[0].label, "Save settings", "Enter presses it");
}

async fn staff_who_may_only_read_change_nothing(deployment: &Deployment) {
    let guild = deployment.guild();
    let before = stored(deployment).await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    staff.get(&settings(deployment)).await.shows(404, "There is no such page");
    set_permissions(deployment, &["settings.read"]).await;
    let page = staff.get(&settings(deployment)).await;
    page.shows(200, "Your role may read these settings, but not change them.");
    assert!(!page.contains("Save settings") && !page.contains("Preview nicknames"), "{}", page.text());
    let sent = staff.post(&settings(deployment), &[("strike_days", "31")]).await;
    sent.shows(404, "There is no such page");
    assert_eq!(stored(deployment).await, before);
    set_permissions(deployment, &["settings.read", "settings.write"]).await;
    let page = staff.get(&settings(deployment)).await;
    staff.press(&page, "Save settings", &[("strike_days", "31")]).await.shows(200, "Settings saved.");
    assert_eq!(stored(deployment).await["strike_days"], 31);
}
