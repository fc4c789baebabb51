//! A guild's rules for linking in `/guilds/:guildId/settings`, and the two roles that they give (docs/rules.md 11).

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Answer, Deployment, both_modes, eventually, in_turn};

both_modes!(a_link_gives_the_verified_role_and_its_end_the_unverified_one);

in_turn!(
    a_new_guild_has_the_usual_rules,
    rules_are_changed_and_read,
    rules_that_make_no_sense_are_refused,
    the_two_roles_differ,
);

const RULES: [&str; 8] = [
    "link_ways",
    "link_min_chat_days",
    "link_min_play_days",
    "link_flagged",
    "link_banned",
    "verified_role",
    "unverified_role",
    "link_message",
];

fn path(deployment: &Deployment) -> String {
    format!("/guilds/{}/settings", deployment.guild().id)
}

async fn patch(deployment: &Deployment, change: Value) -> Answer {
    deployment.api().patch(&path(deployment), change).await
}

fn rules(settings: &Value) -> Value {
    RULES.iter().map(|name| ((*name).to_owned(), settings[*name].clone())).collect()
}

fn usual() -> Value {
    json!({
        "link_ways": ["code", "connection", "sign_in"], "link_min_chat_days": 0, "link_min_play_days": 0,
        "link_flagged": "hold", "link_banned": "hold", "verified_role": null, "unverified_role": null,
        "link_message": null,
    })
}

async fn a_new_guild_has_the_usual_rules(deployment: &Deployment) {
    assert_eq!(rules(&deployment.api().get(&path(deployment)).await.ok()), usual());
}

async fn rules_are_changed_and_read(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let before = api.get(&path(deployment)).await.ok();
    let change = json!({
        "link_ways": ["sign_in", "profile"], "link_min_chat_days": 7, "link_min_play_days": 3650,
        "link_flagged": "refuse", "link_banned": "admit",
        "verified_role": guild.roles[0], "unverified_role": guild.roles[1], "link_message": "Hi!",
    });
    let mut expected = change.clone();
    expected["link_ways"] = json!(["profile", "sign_in"]);
    assert_eq!(rules(&patch(deployment, change).await.ok()), expected);
    let after = api.get(&path(deployment)).await.ok();
    assert_eq!(rules(&after), expected);
    assert_eq!(after["strike_days"], before["strike_days"]);
    let entry = &deployment.audit("settings.update").await[0]["metadata"];
    assert_eq!(entry["after"], expected, "only what changed");
    assert_eq!(entry["before"], usual());

    patch(deployment, json!({ "link_ways": [], "verified_role": null, "link_message": null })).await.ok();
    (expected["link_ways"], expected["verified_role"]) = (json!([]), Value::Null);
    expected["link_message"] = Value::Null;
    assert_eq!(rules(&api.get(&path(deployment)).await.ok()), expected);
    // An absent role stays.
    patch(deployment, json!({ "link_min_chat_days": 0 })).await.ok();
    assert_eq!(api.get(&path(deployment)).await.ok()["unverified_role"], guild.roles[1].as_str());
    let other = api.key(&deployment.other_guild().admin_key);
    let theirs = other.get(&format!("/guilds/{}/settings", deployment.other_guild().id)).await.ok();
    assert_eq!(rules(&theirs), usual());
}

async fn rules_that_make_no_sense_are_refused(deployment: &Deployment) {
    let before = deployment.api().get(&path(deployment)).await.ok();
    for (field, value) in [
        ("link_ways", Value::Null),
        ("link_ways", json!("code")),
        ("link_ways", json!(["code", "code"])),
        ("link_ways", json!(["code", "telepathy"])),
        ("link_ways", json!(["code", "profile", "connection", "sign_in", "code"])),
        ("link_min_chat_days", json!(-1)),
        ("link_min_chat_days", json!(3651)),
        ("link_min_play_days", json!(1.5)),
        ("link_min_play_days", Value::Null),
        ("link_flagged", json!("never")),
        ("link_flagged", Value::Null),
        ("link_banned", json!(true)),
        ("verified_role", json!(7)),
        ("verified_role", json!("none")),
        ("unverified_role", json!("-7")),
        ("link_message", json!("")),
        ("link_message", json!(["Hi"])),
        ("link_message", json!("é".repeat(501))),
    ] {
        let answer = patch(deployment, json!({ field: value.clone(), "strike_days": 1 })).await;
        answer.refused(400, &[field]);
    }
    assert_eq!(deployment.api().get(&path(deployment)).await.ok(), before);
}

async fn the_two_roles_differ(deployment: &Deployment) {
    let [first, second, ..] = &deployment.guild().roles;
    let same = async |change| {
        let refused = patch(deployment, change).await;
        assert_eq!(refused.refused(422, &["verified_role", "unverified_role"]).error(), "same_role");
    };
    same(json!({ "verified_role": first, "unverified_role": first })).await;
    patch(deployment, json!({ "verified_role": first })).await.ok();
    same(json!({ "unverified_role": first })).await;
    patch(deployment, json!({ "unverified_role": second })).await.ok();
    same(json!({ "verified_role": second })).await;
    // They may change places.
    let swapped = patch(deployment, json!({ "verified_role": second, "unverified_role": first })).await.ok();
    assert_eq!((&swapped["verified_role"], &swapped["unverified_role"]), (&json!(second), &json!(first)));
    patch(deployment, json!({ "verified_role": null, "unverified_role": null })).await.ok();
}

async fn a_link_gives_the_verified_role_and_its_end_the_unverified_one(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = guild.right();
    // Without bindings that name them.
    for binding in api.get("/bindings/list").await.ok()["bindings"].as_array().unwrap() {
        api.delete(&format!("/bindings/remove/{}", binding["id"])).await.ok();
    }
    let [verified, unverified, ..] = &guild.roles;
    patch(deployment, json!({ "verified_role": verified, "unverified_role": unverified })).await.ok();
    let has = async |roles: Value| {
        eventually("the roles of the link", Duration::from_secs(20), async || {
            (deployment.simulator.member(guild, &member.chat).await["roles"] == roles).then_some(())
        })
        .await;
    };
    let at = format!("/guilds/{}/links/{}", guild.id, member.chat);
    let roles = json!({ "guild_id": guild.id, "chat_id": member.chat, "roles": [unverified] });
    deployment.simulator.change_member(roles).await;
    api.post("/interactions/sync", json!({ "user_id": member.chat })).await.ok();
    has(json!([verified])).await;
    api.delete(&at).await.ok();
    has(json!([unverified])).await;
    api.send(Method::PUT, &at, Some(json!({ "play_id": member.play }))).await.ok();
    has(json!([verified])).await;
}
