//! Members link themselves (docs/rules.md 11): attempts, codes typed in a game, and what the guild's rules say.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Answer, Api, Deployment, Guild, Member, both_modes, eventually, in_turn};

use crate::moderation::Moderating;

both_modes!(
    a_code_links_after_the_player_has_agreed,
    a_player_who_types_wrong_codes_has_to_wait,
    a_code_that_many_players_typed_is_dead,
    of_two_players_at_once_one_is_linked,
    an_attempt_that_is_too_old_links_nobody(own),
    staff_decide_about_somebody_who_is_banned,
);

in_turn!(
    a_code_counts_in_its_guild_only,
    a_new_attempt_ends_the_one_before,
    a_guild_learns_nothing_before_the_member_agrees,
    a_key_does_nothing_in_a_members_place,
    a_lifted_flag_holds_nobody,
    rules_of_the_guild_refuse(own),
);

/// The longest wait for the jobs of a change.
const WITHIN: Duration = Duration::from_secs(20);

fn attempts(guild: &Guild) -> String {
    format!("/guilds/{}/link-attempts", guild.id)
}

/// A member who is not linked any more, and their game account.
async fn unlinked(deployment: &Deployment, number: usize) -> &Member {
    let guild = deployment.guild();
    let member = &guild.members[number];
    deployment.api().delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    member
}

async fn begin(deployment: &Deployment, chat: &str) -> Value {
    deployment.api().post(&attempts(deployment.guild()), json!({ "chat_id": chat })).await.ok()
}

fn typed(code: &Value, member: &Member) -> Value {
    json!({ "code": code, "play_id": member.play, "play_username": member.name })
}

/// The player is asked, and agrees.
async fn agree(api: &Api, code: &Value, member: &Member) -> Answer {
    api.post("/links/confirm", typed(code, member)).await.ok();
    let mut body = typed(code, member);
    body["confirm"] = json!(true);
    api.post("/links/confirm", body).await
}

async fn link_of(deployment: &Deployment, chat: &str) -> Value {
    let path = format!("/guilds/{}/links/{chat}", deployment.guild().id);
    deployment.api().get(&path).await.ok()["link"].clone()
}

async fn a_code_links_after_the_player_has_agreed(deployment: &Deployment) {
    let (guild, game) = (deployment.guild(), deployment.api().key(&deployment.guild().game_key));
    let member = unlinked(deployment, 12).await;
    let begun = begin(deployment, &member.chat).await;
    let code = begun["code"].as_str().unwrap();
    assert_eq!(begun["attempt"]["state"], "open");
    // As people type it.
    let loose = json!(format!(" {}-{}", code[..3].to_lowercase(), &code[3..]));
    let asked = game.post("/links/confirm", typed(&loose, member)).await.ok();
    assert_eq!((&asked["chat_id"], &asked["ended"]), (&json!(member.chat), &Value::Null));
    assert_eq!(asked["chat_name"], begun["attempt"]["chat_name"]);
    assert_eq!(link_of(deployment, &member.chat).await, Value::Null, "the player did not agree yet");

    let mut body = typed(&begun["code"], member);
    body["confirm"] = json!(true);
    let linked = game.post("/links/confirm", body.clone()).await.ok();
    assert_eq!(linked["ended"]["attempt"]["outcome"], "linked", "{linked}");
    let link = link_of(deployment, &member.chat).await;
    assert_eq!((&link["play_id"], &link["source"]), (&json!(member.play), &json!("self")));
    eventually("the roles follow", WITHIN, async || {
        let found = deployment.simulator.member(guild, &member.chat).await;
        found["roles"].as_array().unwrap().contains(&json!(member.wanted)).then_some(())
    })
    .await;
    let again = game.post("/links/confirm", body).await;
    assert_eq!(again.refused(404, &[]).error(), "wrong_code", "it ends once");
}

async fn a_player_who_types_wrong_codes_has_to_wait(deployment: &Deployment) {
    let member = unlinked(deployment, 13).await;
    let begun = begin(deployment, &member.chat).await;
    let api = deployment.api();
    for _ in 0..5 {
        let wrong = api.post("/links/confirm", typed(&json!("222222"), member)).await;
        assert_eq!(wrong.refused(404, &["code"]).error(), "wrong_code");
    }
    let refused = api.post("/links/confirm", typed(&begun["code"], member)).await;
    let refused = refused.refused(429, &["wrong codes"]);
    assert!(refused.error() == "too_many_codes" && refused.number("retry-after") > 600, "{refused}");
    // Only this player.
    let other = &deployment.guild().members[14];
    api.post("/links/confirm", typed(&begun["code"], other)).await.ok();
}

async fn a_code_that_many_players_typed_is_dead(deployment: &Deployment) {
    let member = unlinked(deployment, 15).await;
    let begun = begin(deployment, &member.chat).await;
    let api = deployment.api();
    for player in 0..6 {
        let guess = json!({ "code": begun["code"], "play_id": 880_001 + player, "play_username": "guest" });
        api.post("/links/confirm", guess).await.ok();
    }
    let dead = api.post("/links/confirm", typed(&begun["code"], member)).await;
    assert_eq!(dead.refused(404, &[]).error(), "wrong_code");
    let list = api.get(&format!("{}?state=ended", attempts(deployment.guild()))).await.ok();
    assert_eq!(list["attempts"][0]["outcome"], "locked", "{list}");
}

async fn of_two_players_at_once_one_is_linked(deployment: &Deployment) {
    let member = unlinked(deployment, 16).await;
    let begun = begin(deployment, &member.chat).await;
    let api = deployment.api();
    let player =
        |id: i64| json!({ "code": begun["code"], "play_id": id, "play_username": format!("guest_{id}") });
    api.post("/links/confirm", player(881_001)).await.ok();
    // The second player is asked now, so the first one's yes links nobody.
    api.post("/links/confirm", player(881_002)).await.ok();
    let mut yes = player(881_001);
    yes["confirm"] = json!(true);
    assert_eq!(api.post("/links/confirm", yes).await.ok()["ended"], Value::Null);
    let mut yes = player(881_001);
    yes["confirm"] = json!(true);
    assert_eq!(api.post("/links/confirm", yes).await.ok()["ended"]["attempt"]["outcome"], "linked");
    assert_eq!(link_of(deployment, &member.chat).await["play_id"], 881_001);
}

async fn an_attempt_that_is_too_old_links_nobody(deployment: &Deployment) {
    let member = unlinked(deployment, 17).await;
    let begun = begin(deployment, &member.chat).await;
    let api = deployment.api();
    api.post("/links/confirm", typed(&begun["code"], member)).await.ok();
    let old = format!("UPDATE link_attempt SET expires_at = created_at WHERE chat_id = {}", member.chat);
    deployment.execute(&old).await;
    let mut yes = typed(&begun["code"], member);
    yes["confirm"] = json!(true);
    assert_eq!(api.post("/links/confirm", yes).await.refused(404, &[]).error(), "wrong_code");
    assert_eq!(link_of(deployment, &member.chat).await, Value::Null);
    // And a new one can be begun.
    let begun = begin(deployment, &member.chat).await;
    agree(&api, &begun["code"], member).await.ok();
}

async fn staff_decide_about_somebody_who_is_banned(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = unlinked(deployment, 18).await;
    // A ban that is mirrored ends the membership.
    let settings = format!("/guilds/{}/settings", guild.id);
    api.patch(&settings, json!({ "mirror_bans": false })).await.ok();
    deployment.ban(&member.play.to_string(), json!({})).await;
    let begun = begin(deployment, &member.chat).await;
    let held = agree(&api, &begun["code"], member).await.ok();
    assert_eq!(held["ended"]["attempt"]["state"], "held", "{held}");
    assert_eq!(held["ended"]["reason"], "banned in this guild");
    assert_eq!(link_of(deployment, &member.chat).await, Value::Null);
    let list = api.get(&format!("{}?state=held", attempts(guild))).await.ok();
    assert_eq!(list["attempts"][0]["play_id"], member.play);
    let decide = format!("{}/{}", attempts(guild), list["attempts"][0]["id"].as_str().unwrap());
    api.post(&format!("{decide}/reject"), json!({})).await.ok();
    api.post(&format!("{decide}/approve"), json!({})).await.refused(409, &["ended"]);

    let begun = begin(deployment, &member.chat).await;
    agree(&api, &begun["code"], member).await.ok();
    let list = api.get(&format!("{}?state=held", attempts(guild))).await.ok();
    let decide = format!("{}/{}", attempts(guild), list["attempts"][0]["id"].as_str().unwrap());
    let approved = api.post(&format!("{decide}/approve"), json!({})).await.ok();
    assert_eq!(approved["outcome"], "linked");
    assert_eq!(link_of(deployment, &member.chat).await["source"], "self");
    assert!(deployment.is_banned(&member.chat).await, "the ban stays with the account");
}

async fn a_code_counts_in_its_guild_only(deployment: &Deployment) {
    let member = unlinked(deployment, 19).await;
    let begun = begin(deployment, &member.chat).await;
    let theirs = deployment.api().key(&deployment.other_guild().game_key);
    assert_eq!(
        theirs.post("/links/confirm", typed(&begun["code"], member)).await.refused(404, &[]).error(),
        "wrong_code"
    );
    // Whoever holds a key could name any player: no other guild is fooled.
    agree(&deployment.api(), &begun["code"], member).await.ok();
    let path = format!("/guilds/{}/link-attempts", deployment.other_guild().id);
    let admin = deployment.api().key(&deployment.other_guild().admin_key);
    assert_eq!(
        admin.post(&path, json!({ "chat_id": member.chat })).await.refused(404, &[]).error(),
        "not_a_member"
    );
}

async fn a_new_attempt_ends_the_one_before(deployment: &Deployment) {
    let member = unlinked(deployment, 20).await;
    let first = begin(deployment, &member.chat).await;
    let second = begin(deployment, &member.chat).await;
    let api = deployment.api();
    assert_eq!(
        api.post("/links/confirm", typed(&first["code"], member)).await.refused(404, &[]).error(),
        "wrong_code"
    );
    agree(&api, &second["code"], member).await.ok();
}

async fn a_guild_learns_nothing_before_the_member_agrees(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = unlinked(deployment, 21).await;
    let begun = begin(deployment, &member.chat).await;
    api.post("/links/confirm", typed(&begun["code"], member)).await.ok();
    let list = api.get(&attempts(guild)).await.ok();
    let shown = &list["attempts"][0];
    assert_eq!((&shown["chat_id"], &shown["play_id"]), (&json!(member.chat), &Value::Null), "{list}");
    assert!(!list.to_string().contains(&member.play.to_string()), "{list}");
}

async fn a_key_does_nothing_in_a_members_place(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = unlinked(deployment, 22).await;
    let begun = begin(deployment, &member.chat).await;
    let at = format!("{}/{}", attempts(guild), begun["attempt"]["id"].as_str().unwrap());
    for (verb, body) in
        [("confirm", json!({})), ("cancel", json!({})), ("profile", json!({ "play_id": member.play }))]
    {
        let refused = api.post(&format!("{at}/{verb}"), body).await.refused(403, &["member"]);
        assert_eq!(refused.error(), "members_only");
    }
    let default = api.key(&guild.game_key);
    default.post(&attempts(guild), json!({ "chat_id": member.chat })).await.refused(403, &["links"]);
    api.post(&attempts(guild), json!({ "chat_id": testkit::OUTSIDER })).await.refused(404, &["not a member"]);
}

async fn a_lifted_flag_holds_nobody(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = unlinked(deployment, 24).await;
    let (play, by) = (member.play.to_string(), &guild.members[0].chat);
    let flag = ["shield", "flag", &play, "--reason", "alts", "--by", by, "--guild", &guild.id];
    deployment.command(&flag).await.succeeded();
    let begun = begin(deployment, &member.chat).await;
    let held = agree(&api, &begun["code"], member).await.ok();
    assert_eq!(held["ended"]["reason"], "flagged in Shield", "{held}");
    deployment.command(&["shield", "lift", &play, "--reason", "appeal"]).await.succeeded();
    let begun = begin(deployment, &member.chat).await;
    let linked = agree(&api, &begun["code"], member).await.ok();
    assert_eq!(linked["ended"]["attempt"]["outcome"], "linked", "{linked}");
}

async fn rules_of_the_guild_refuse(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let settings = format!("/guilds/{}/settings", guild.id);
    let set = async |change: Value| api.send(Method::PATCH, &settings, Some(change)).await.ok();
    let member = unlinked(deployment, 23).await;
    set(json!({ "link_min_chat_days": 3650 })).await;
    let begun = begin(deployment, &member.chat).await;
    let refused = agree(&api, &begun["code"], member).await.ok();
    assert_eq!(refused["ended"]["attempt"]["outcome"], "rejected", "{refused}");
    assert_eq!(refused["ended"]["reason"], "the chat account is younger than 3650 days");
    // A ban that is mirrored ends the membership.
    set(json!({ "link_min_chat_days": 0, "link_banned": "refuse", "mirror_bans": false })).await;
    deployment.ban(&member.play.to_string(), json!({})).await;
    let begun = begin(deployment, &member.chat).await;
    let refused = agree(&api, &begun["code"], member).await.ok();
    assert_eq!(refused["ended"]["reason"], "banned in this guild", "{refused}");
    set(json!({ "link_ways": ["profile"] })).await;
    let begun = begin(deployment, &member.chat).await;
    assert_eq!(
        api.post("/links/confirm", typed(&begun["code"], member)).await.refused(422, &[]).error(),
        "way_off"
    );
    set(json!({ "link_ways": [] })).await;
    let off = api.post(&attempts(guild), json!({ "chat_id": member.chat })).await.refused(422, &[]);
    assert_eq!(off.error(), "linking_off");
    assert_eq!(link_of(deployment, &member.chat).await, Value::Null);
}
