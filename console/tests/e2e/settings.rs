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
    staff_who_may_only_read_change_nothing,
    rules_for_linking_are_saved_and_taken_back,
    roles_by_which_syncs_spare_members_are_saved_and_taken_back,
    what_is_wrong_about_linking_stands_at_its_field,
    a_role_that_discord_does_not_show_stays,
    a_person_sets_only_roles_below_their_own
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
        ("staff_by_role", "yes"),
        ("allowed_privileged_roles", &guild.privileged_role),
    ];
    let saved = owner.press(&page, "Save settings", &typed).await;
    saved.shows(200, "Settings saved.");
    for (field, value) in typed {
        saved.keeps(field, value);
    }
    let mut expected = before.clone();
    let changed = json!({
        "nickname_template": "[{play_id}] {play_username}", "mirror_bans": true, "mirror_bans_per_hour": 12,
        "time_zone": "Europe/Berlin", "week_start": 7, "strike_days": 30, "score_weights": { "ban": 9, "kick": 0 },
        "staff_by_role": true, "allowed_privileged_roles": [guild.privileged_role],
    });
    expected.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
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

async fn rules_for_linking_are_saved_and_taken_back(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let before = stored(deployment).await;
    let page = owner.get(&settings(deployment)).await;
    for words in
        ["A code typed in a game", "Words in the Roblox profile", "verified by Discord", "Staff decide"]
    {
        page.shows(200, words);
    }
    let form = page.form_with("Save settings");
    let ways: Vec<_> =
        form.fields.iter().filter(|(name, _)| name == "link_ways").map(|(_, way)| way).collect();
    assert_eq!(ways, ["code", "connection", "sign_in"]);
    assert!(form.choices("verified_role").contains(&guild.roles[0]));
    assert!(!form.choices("verified_role").contains(&guild.id), "everybody has it");
    let typed = [
        ("link_ways", "profile"),
        ("link_ways", "sign_in"),
        ("link_min_chat_days", "7"),
        ("link_min_play_days", "30"),
        ("link_flagged", "refuse"),
        ("link_banned", "admit"),
        ("verified_role", &guild.roles[0]),
        ("unverified_role", &guild.roles[1]),
        ("link_message", "Welcome!"),
    ];
    let saved = owner.press(&page, "Save settings", &typed).await;
    saved.shows(200, "Settings saved.");
    for (field, value) in typed {
        saved.keeps(field, value);
    }
    let mut expected = before.clone();
    let changed = json!({
        "link_ways": ["profile", "sign_in"], "link_min_chat_days": 7, "link_min_play_days": 30,
        "link_flagged": "refuse", "link_banned": "admit",
        "verified_role": guild.roles[0], "unverified_role": guild.roles[1], "link_message": "Welcome!",
    });
    expected.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
    assert_eq!(stored(deployment).await, expected);
    owner.undo(&saved).await.shows(200, "Settings saved.");
    assert_eq!(stored(deployment).await, before);
    // No way at all, and the undo of that.
    let none: Vec<_> = form.fields.iter().filter(|(name, _)| name != "link_ways").cloned().collect();
    let sent = owner.send_form(&form, &none).await;
    let closed = owner.get(sent.location()).await;
    assert_eq!(stored(deployment).await["link_ways"], json!([]));
    owner.undo(&closed).await.shows(200, "Settings saved.");
    assert_eq!(stored(deployment).await, before);
}

async fn roles_by_which_syncs_spare_members_are_saved_and_taken_back(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let before = stored(deployment).await;
    let page = owner.get(&settings(deployment)).await;
    page.shows(200, "Roles that no sync takes");
    let typed = [
        ("nickname_bypass_roles", guild.high_role.as_str()),
        ("role_bypass_roles", &guild.high_role),
        ("sticky_roles", &guild.roles[0]),
        ("sticky_roles", &guild.roles[1]),
    ];
    let saved = owner.press(&page, "Save settings", &typed).await;
    saved.shows(200, "Settings saved.");
    let mut expected = before.clone();
    let changed = json!({
        "nickname_bypass_roles": [guild.high_role], "role_bypass_roles": [guild.high_role],
    });
    expected.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
    let mut now = stored(deployment).await;
    let mut sticky: Vec<_> = now["sticky_roles"].as_array().unwrap().clone();
    sticky.sort_unstable_by_key(ToString::to_string);
    assert_eq!(sticky, [json!(guild.roles[0]), json!(guild.roles[1])]);
    now["sticky_roles"] = json!([]);
    assert_eq!(now, expected);
    owner.undo(&saved).await.shows(200, "Settings saved.");
    assert_eq!(stored(deployment).await, before);
}

async fn what_is_wrong_about_linking_stands_at_its_field(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let before = stored(deployment).await;
    let page = owner.get(&settings(deployment)).await;
    for (field, typed) in [("link_min_chat_days", "3651"), ("link_min_play_days", "a week")] {
        let said = "Enter a number of days from 0 to 3650.";
        let refused = owner.press(&page, "Save settings", &[(field, typed), ("strike_days", "31")]).await;
        refused.shows(422, said).keeps("strike_days", "31");
        refused.refuses(field, typed, said);
    }
    let same = [("verified_role", &*guild.roles[0]), ("unverified_role", &*guild.roles[0])];
    let refused = owner.press(&page, "Save settings", &same).await;
    refused.shows(422, "must be different roles");
    for (field, role) in same {
        refused.has_typed(field, role);
    }
    assert_eq!(stored(deployment).await, before);
}

async fn a_role_that_discord_does_not_show_stays(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let gone = (guild.id.parse::<u64>().unwrap() + 9_999).to_string();
    let change = json!({ "verified_role": gone, "unverified_role": guild.high_role });
    deployment.api().patch(&format!("/guilds/{}/settings", guild.id), change).await.ok();
    let page = owner.get(&settings(deployment)).await;
    page.has_typed("verified_role", &gone).has_typed("unverified_role", &guild.high_role);
    owner.press(&page, "Save settings", &[("strike_days", "31")]).await.shows(200, "Settings saved.");
    let after = stored(deployment).await;
    assert_eq!((&after["verified_role"], &after["unverified_role"]), (&json!(gone), &json!(guild.high_role)));
    let cleared =
        owner.press(&page, "Save settings", &[("verified_role", ""), ("unverified_role", "")]).await;
    cleared.shows(200, "Settings saved.");
    assert_eq!(stored(deployment).await["verified_role"], Value::Null);
}

async fn a_person_sets_only_roles_below_their_own(deployment: &Deployment) {
    let guild = deployment.guild();
    set_permissions(deployment, &["settings.read", "settings.write"]).await;
    let chat = &guild.members[1].chat;
    let roles = json!({ "guild_id": guild.id, "chat_id": chat, "roles": [guild.roles[3]] });
    deployment.simulator.change_member(roles).await;
    let staff = Console::of(deployment, guild, chat).await;
    let page = staff.get(&settings(deployment)).await;
    for field in ["verified_role", "unverified_role"] {
        for above in [&guild.roles[3], &guild.privileged_role, &guild.high_role] {
            let refused = staff.press(&page, "Save settings", &[(field, above)]).await;
            refused.shows(422, "highest role");
            assert_eq!(stored(deployment).await[field], Value::Null);
        }
    }
    staff
        .press(&page, "Save settings", &[("verified_role", &guild.roles[2])])
        .await
        .shows(200, "Settings saved.");
    // One above them that somebody else has set stays, and they do not clear it.
    let path = format!("/guilds/{}/settings", guild.id);
    deployment.api().patch(&path, json!({ "verified_role": guild.high_role })).await.ok();
    let page = staff.get(&settings(deployment)).await;
    staff.press(&page, "Save settings", &[("strike_days", "31")]).await.shows(200, "Settings saved.");
    staff.press(&page, "Save settings", &[("verified_role", "")]).await.shows(422, "highest role");
    assert_eq!(stored(deployment).await["verified_role"], guild.high_role.as_str());
}
