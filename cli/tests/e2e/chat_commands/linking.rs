//! /link, /unlink, /sync and the button that staff post.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::console::with_both_platforms;
use testkit::{Deployment, Guild, Member, Setup, both_modes, eventually, in_turn};

use super::door::{interaction, send_signed};
use super::{Seen, WITHIN, forged, typed, typed_in};

both_modes!(
    a_member_links_by_words_in_a_profile_and_joins_the_next_guild_in_two_taps,
    a_member_unlinks,
    members_sync_themselves,
    a_rush_of_members_asks_the_chat_platform_nothing(own),
    a_page_that_offers_no_way_is_not_named(super::without_the_games_application),
);

in_turn!(
    a_code_is_shown_to_the_member_alone,
    somebody_elses_buttons_link_nobody,
    the_posted_button_answers_each_person_alone,
    who_is_linked_already_is_told_so,
    a_guild_without_ways_says_so,
    outside_of_a_guild_there_is_nothing_to_do,
);

pub(super) async fn ways(deployment: &Deployment, guild: &Guild, ways: Value) {
    let api = deployment.api().key(&guild.admin_key);
    api.patch(&format!("/guilds/{}/settings", guild.id), json!({ "link_ways": ways })).await.ok();
}

pub(super) async fn unlinked<'d>(deployment: &'d Deployment, guild: &'d Guild, number: usize) -> &'d Member {
    let member = &guild.members[number];
    let api = deployment.api().key(&guild.admin_key);
    api.delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    member
}

pub(super) async fn link_of(deployment: &Deployment, guild: &Guild, chat: &str) -> Value {
    let api = deployment.api().key(&guild.admin_key);
    api.get(&format!("/guilds/{}/links/{chat}", guild.id)).await.ok()["link"].clone()
}

/// The words that a message asks for.
fn words(seen: &Seen) -> String {
    seen.text().split('`').nth(1).unwrap_or_else(|| panic!("no words: {}", seen.text())).to_owned()
}

/// From the words in their profile to the question whether to link.
pub(crate) async fn proven(deployment: &Deployment, guild: &Guild, member: &Member) -> Seen {
    let begun = typed_in(deployment, guild, &member.chat, "link", json!({})).await;
    let profile = json!({ "play_id": member.play, "description": format!("Hi! {}", words(&begun)) });
    deployment.simulator.change_profile(profile).await;
    let form = begun.press(deployment, "Check my profile").await;
    form.fill(deployment, "name", &member.name).await
}

/// From that question to the role.
pub(super) async fn agreed(deployment: &Deployment, guild: &Guild, member: &Member, asked: &Seen) {
    asked.press(deployment, "Link these accounts").await.says(&["Linked with", "roles follow"]);
    let link = link_of(deployment, guild, &member.chat).await;
    assert_eq!((&link["play_id"], &link["source"]), (&json!(member.play), &json!("self")));
    eventually("the role is there", WITHIN, async || {
        deployment.simulator.is_right(guild, member).await.then_some(())
    })
    .await;
}

async fn a_member_links_by_words_in_a_profile_and_joins_the_next_guild_in_two_taps(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    ways(deployment, guild, json!(["profile"])).await;
    let member = unlinked(deployment, guild, 12).await;

    let begun = typed(deployment, &member.chat, "link", json!({})).await;
    begun.says(&["Prove that a Roblox account is yours"]);
    let form = begun.press(deployment, "Check my profile").await;
    let early = form.fill(deployment, "name", &member.name).await;
    early.says(&["does not have the words yet"]);
    let nobody =
        begun.press(deployment, "Check my profile").await.fill(deployment, "name", "nobody_at_all").await;
    nobody.says(&["Roblox has no account named"]);

    let asked = proven(deployment, guild, member).await;
    asked.says(&["Link ", &member.name.replace('_', "\\_")]);
    let cards = asked.state["embeds"].as_array().unwrap();
    assert_eq!(cards.len(), 2, "both accounts are shown: {cards:?}");
    assert!(
        cards.iter().all(|card| card["description"].as_str().unwrap().contains("since <t:")),
        "{cards:?}"
    );
    assert!(
        cards.iter().any(|card| card["thumbnail"]["url"].as_str().is_some_and(|url| url.starts_with("http")))
    );
    assert_eq!(link_of(deployment, guild, &member.chat).await, Value::Null);

    agreed(deployment, guild, member, &asked).await;

    // One command, one button.
    deployment.simulator.join(other, &member.chat).await;
    ways(deployment, other, json!(["profile"])).await;
    let known = typed_in(deployment, other, &member.chat, "link", json!({})).await;
    known.press(deployment, "Link these accounts").await.says(&["Linked with"]);
    assert_eq!(link_of(deployment, other, &member.chat).await["play_id"], member.play);
}

async fn a_member_unlinks(deployment: &Deployment) {
    let (guild, member) = (deployment.guild(), &deployment.guild().members[13]);
    let asked = typed(deployment, &member.chat, "unlink", json!({})).await;
    asked.says(&["End your link with", "Bans stay"]);
    asked.press(deployment, "Unlink").await.says(&["Unlinked"]);
    assert_eq!(link_of(deployment, guild, &member.chat).await, Value::Null);
    eventually("the role is gone", WITHIN, async || {
        let found = deployment.simulator.member(guild, &member.chat).await;
        (found["roles"] == json!([])).then_some(())
    })
    .await;
    typed(deployment, &member.chat, "unlink", json!({})).await.says(&["You are not linked"]);
    let audit = deployment.audit("links.remove").await;
    assert_eq!(audit[0]["actor_id"], member.chat.as_str());
}

/// Its limits are a few calls a second in a guild.
async fn a_rush_of_members_asks_the_chat_platform_nothing(deployment: &Deployment) {
    let guild = deployment.guild();
    ways(deployment, guild, json!(["profile"])).await;
    // What is asked once for all is known: roles, and who owns the guild.
    typed(deployment, &unlinked(deployment, guild, 10).await.chat, "link", json!({})).await;
    let asked = async || {
        let requests = deployment.simulator.stats().await["requests"].clone();
        let of_people = |route: &String| route.contains("/members/:user") && route.starts_with("GET");
        let by_route = requests.as_object().unwrap().iter().filter(|(route, _)| of_people(route));
        by_route.map(|(_, statuses)| statuses["200"].as_u64().unwrap_or(0)).sum::<u64>()
    };
    let members: Vec<_> = guild.members[11..19].iter().collect();
    for number in 11..19 {
        unlinked(deployment, guild, number).await;
    }
    deployment.all_jobs_ended("unlink_member", WITHIN).await;
    let before = asked().await;
    let rush = members.iter().map(|member| typed(deployment, &member.chat, "link", json!({})));
    for seen in futures_util::future::join_all(rush).await {
        seen.says(&["Prove that a Roblox account is yours"]);
    }
    assert_eq!(asked().await, before);
}

async fn members_sync_themselves(deployment: &Deployment) {
    let guild = deployment.guild();
    let member = guild.members.iter().skip(6).find(|member| member.held.is_empty()).unwrap();
    let synced = typed(deployment, &member.chat, "sync", json!({})).await.until(deployment, "Synced").await;
    synced.says(&["gave", &format!("<@&{}>", member.wanted)]);
    assert!(deployment.simulator.is_right(guild, member).await);
    // Others are for people who may sync members.
    let other = &guild.members[7];
    let refused = typed(deployment, &member.chat, "sync", json!({ "member": other.chat })).await;
    refused.says(&["sync.write"]);
    let unlinked = unlinked(deployment, guild, 14).await;
    typed(deployment, &unlinked.chat, "sync", json!({})).await.says(&["not linked"]);
}

async fn a_code_is_shown_to_the_member_alone(deployment: &Deployment) {
    let (guild, game) = (deployment.guild(), deployment.api().key(&deployment.guild().game_key));
    ways(deployment, guild, json!(["code"])).await;
    let member = unlinked(deployment, guild, 15).await;
    let begun = typed(deployment, &member.chat, "link", json!({})).await;
    begun.says(&["Type the code", "Keep the code to yourself"]);
    let code = begun
        .text()
        .split("**")
        .find(|part| part.len() == 6 && part.chars().all(|c| c.is_ascii_alphanumeric()));
    let mut typed = json!({ "code": code.unwrap(), "play_id": member.play, "play_username": member.name });
    game.post("/links/confirm", typed.clone()).await.ok();
    typed["confirm"] = json!(true);
    game.post("/links/confirm", typed).await.ok();
    assert_eq!(link_of(deployment, guild, &member.chat).await["play_id"], member.play);
    let in_channel = deployment.simulator.messages_in(&guild.id).await;
    assert!(!json!(in_channel).to_string().contains(code.unwrap()), "{in_channel:?}");
}

async fn somebody_elses_buttons_link_nobody(deployment: &Deployment) {
    let guild = deployment.guild();
    ways(deployment, guild, json!(["profile"])).await;
    let member = unlinked(deployment, guild, 16).await;
    let other = unlinked(deployment, guild, 17).await;
    let asked = proven(deployment, guild, member).await;
    // The platform shows it to one person; whoever knows the id all the same gets nothing.
    for label in ["Link these accounts", "Cancel"] {
        let answer = forged(deployment, &other.chat, &asked.button(label)).await;
        assert!(answer["data"]["content"].as_str().unwrap().contains("No such attempt"), "{label}: {answer}");
    }
    for chat in [&member.chat, &other.chat] {
        assert_eq!(link_of(deployment, guild, chat).await, Value::Null);
    }
    asked.press(deployment, "Cancel").await.says(&["Nothing was linked"]);
    let late = forged(deployment, &member.chat, &asked.button("Link these accounts")).await;
    assert!(late["data"]["content"].as_str().unwrap().contains("has ended"), "{late}");
    assert_eq!(link_of(deployment, guild, &member.chat).await, Value::Null);
}

async fn the_posted_button_answers_each_person_alone(deployment: &Deployment) {
    let guild = deployment.guild();
    ways(deployment, guild, json!(["code"])).await;
    let owner = &guild.members[0].chat;
    let posted = typed(deployment, owner, "setup button", json!({})).await;
    assert_eq!(posted.state["ephemeral"], false);
    let member = unlinked(deployment, guild, 18).await;
    posted.press_as(deployment, &member.chat, "Link my Roblox account").await.says(&["Type the code"]);
    let shown = deployment.simulator.messages_in(&guild.id).await;
    let button =
        shown.iter().find(|message| message["components"][0]["components"][0]["custom_id"] == "link:start");
    assert!(
        button
            .is_some_and(|message| message["content"].as_str().unwrap().contains("Link your Roblox account"))
    );
    assert!(!json!(shown).to_string().contains("Type the code"), "{shown:?}");
}

async fn who_is_linked_already_is_told_so(deployment: &Deployment) {
    let (guild, member) = (deployment.guild(), &deployment.guild().members[19]);
    ways(deployment, guild, json!(["code"])).await;
    let told = typed(deployment, &member.chat, "link", json!({})).await;
    told.says(&["You are linked with"]);
    told.press(deployment, "Link another account").await.says(&["Type the code"]);
    assert_eq!(
        link_of(deployment, guild, &member.chat).await["play_id"],
        member.play,
        "until another one is proven"
    );
}

async fn a_guild_without_ways_says_so(deployment: &Deployment) {
    let guild = deployment.guild();
    let member = unlinked(deployment, guild, 20).await;
    ways(deployment, guild, json!([])).await;
    typed(deployment, &member.chat, "link", json!({})).await.says(&["do not link themselves"]);
    typed(deployment, &guild.members[0].chat, "setup button", json!({})).await.says(&["choose the ways"]);
    // These need an application, which this deployment does not have.
    ways(deployment, guild, json!(["sign_in"])).await;
    typed(deployment, &member.chat, "link", json!({})).await.says(&["no way to link here"]);
    let at = format!("/guilds/{}/link-attempts?state=proven", guild.id);
    let attempts = deployment.api().send(Method::GET, &at, None).await.ok();
    assert_eq!(attempts["attempts"], json!([]));
}

fn without_the_games_application(setup: Setup) -> Setup {
    let setup = with_both_platforms(setup).env("GUILDHALL_PLAY_CLIENT_ID", "");
    setup.env("GUILDHALL_PLAY_CLIENT_SECRET", "")
}

async fn a_page_that_offers_no_way_is_not_named(deployment: &Deployment) {
    let guild = deployment.guild();
    let member = unlinked(deployment, guild, 20).await;
    ways(deployment, guild, json!(["sign_in"])).await;
    typed(deployment, &member.chat, "link", json!({})).await.says(&["no way to link here"]);
    ways(deployment, guild, json!(["connection", "sign_in"])).await;
    typed(deployment, &member.chat, "link", json!({})).await.says(&["Open the page"]);
}

async fn outside_of_a_guild_there_is_nothing_to_do(deployment: &Deployment) {
    let member = &deployment.guild().members[21];
    let mut body = interaction(deployment, &member.chat, 2, json!({ "id": "1", "name": "link" }));
    let person = body["member"]["user"].take();
    body["guild_id"] = Value::Null;
    body["member"] = Value::Null;
    body["user"] = person;
    let (status, answer) = send_signed(deployment, body.to_string().into_bytes()).await;
    assert_eq!(status, 200);
    assert!(answer["data"]["content"].as_str().unwrap().contains("Use this in a server"), "{answer}");
}
