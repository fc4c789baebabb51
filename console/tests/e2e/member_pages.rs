//! /link: members link their own account, guild by guild.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::console::{Console, connect_accounts, decide, go_away, link_page, prove_by_profile};
use testkit::{Deployment, Member, eventually, in_turn};

in_turn!(
    a_code_in_a_game_links_a_member_who_sees_no_console,
    words_in_the_profile_prove_once_for_all_servers(own),
    what_is_wrong_is_said_on_the_page,
    the_page_of_another_server_tells_strangers_nothing,
    a_proof_by_somebody_else_ends_the_link(own),
    a_player_who_did_not_agree_is_not_linked(own),
    what_was_not_shown_is_not_linked(own),
    nothing_is_forgotten_that_could_not_be_unlinked(testkit::console::with_both_platforms),
    signing_in_with_roblox_proves(testkit::console::with_both_platforms),
    an_account_that_discord_has_verified_proves(testkit::console::with_both_platforms),
);

/// The longest wait for the jobs of a change.
const WITHIN: Duration = Duration::from_secs(20);

/// A member without a link, signed in.
async fn unlinked(deployment: &Deployment, number: usize) -> (&Member, Console) {
    let guild = deployment.guild();
    let member = &guild.members[number];
    deployment.api().delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    (member, Console::of(deployment, guild, &member.chat).await)
}

async fn is_right(deployment: &Deployment, member: &Member) {
    eventually("roles and nickname follow", WITHIN, async || {
        deployment.simulator.is_right(deployment.guild(), member).await.then_some(())
    })
    .await;
}

async fn link_of(deployment: &Deployment, member: &Member) -> Value {
    let path = format!("/guilds/{}/links/{}", deployment.guild().id, member.chat);
    deployment.api().get(&path).await.ok()["link"].clone()
}

async fn a_code_in_a_game_links_a_member_who_sees_no_console(deployment: &Deployment) {
    let (member, console) = unlinked(deployment, 16).await;
    let guild = deployment.guild();
    assert_eq!(console.get(&format!("/console/guilds/{}", guild.id)).await.status, 404);
    let begin = console.get(&link_page(guild)).await;
    let prove = console.press(&begin, "Get a code for a game", &[]).await;
    prove.shows(200, "With a code in a game");
    let code = prove.texts(".code strong").remove(0);
    let mut body = json!({ "code": code, "play_id": member.play, "play_username": member.name });
    deployment.api().post("/links/confirm", body.clone()).await.ok();
    body["confirm"] = json!(true);
    deployment.api().post("/links/confirm", body).await.ok();
    console
        .get(&link_page(guild))
        .await
        .shows(200, &format!("has known your Roblox account {}", member.name));
    is_right(deployment, member).await;

    let mine = console.get("/link").await;
    mine.shows(200, "in another server you prove your Roblox account first").shows(200, &member.name);
    assert!(!mine.contains("not proven a Roblox account yet"), "{}", mine.text());
    // Each way to end a link is a question that names what goes.
    assert_eq!(mine.texts("main form button"), mine.texts("main details form button"));
    mine.shows(200, &format!("forgets that {} is you", member.name));
    let gone = console.press(&mine, "Unlink", &[]).await;
    gone.shows(200, "No server knows a Roblox account of yours.");
    assert_eq!(link_of(deployment, member).await, Value::Null);
}

async fn words_in_the_profile_prove_once_for_all_servers(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    for guild in [guild, other] {
        let at = format!("/guilds/{}/settings", guild.id);
        let ways = json!({ "link_ways": ["profile"], "link_message": "Welcome!" });
        deployment.api().key(&guild.admin_key).send(Method::PATCH, &at, Some(ways)).await.ok();
    }
    let (member, console) = unlinked(deployment, 16).await;
    let prove = console.press(&console.get(&link_page(guild)).await, "Use words in my profile", &[]).await;
    assert!(!prove.contains("With a code"), "{}", prove.text());
    let play = member.play.to_string();
    let missing = console.press(&prove, "Check my profile", &[("play_username", &play)]).await;
    missing.shows(422, "does not have the words yet");
    let words = missing.texts(".code strong").remove(0);
    let profile = json!({ "play_id": member.play, "description": format!("Hello\n{words}") });
    deployment.simulator.change_profile(profile).await;
    let agree = console.press(&missing, "Check my profile", &[("play_username", &play)]).await;
    agree.shows(200, &member.name).shows(200, "Link these accounts");
    assert_eq!(link_of(deployment, member).await, Value::Null, "nothing is bound yet");
    let linked = console.press(&agree, "Link these accounts", &[]).await;
    linked
        .shows(200, "has known your Roblox account")
        .shows(200, "Linked. Your roles follow in a moment. Welcome!");
    assert_eq!(deployment.job_rows("direct_message").await, [], "the page has told it");
    assert_eq!(link_of(deployment, member).await["source"], "self");
    is_right(deployment, member).await;

    // The other server knows nothing, until the member agrees there.
    deployment.simulator.join(other, &member.chat).await;
    let key = deployment.api().key(&other.admin_key);
    key.get(&format!("/lookup/chat/{}", member.chat)).await.refused(404, &[]);
    let there = Console::of(deployment, other, &member.chat).await;
    let agree = there.press(&there.get(&link_page(other)).await, &format!("Use {}", member.name), &[]).await;
    agree.shows(200, &member.name);
    key.get(&format!("/lookup/chat/{}", member.chat)).await.refused(404, &[]);
    there.press(&agree, "Link these accounts", &[]).await.shows(200, "has known your Roblox account");
    key.get(&format!("/lookup/chat/{}", member.chat)).await.ok();
}

async fn what_is_wrong_is_said_on_the_page(deployment: &Deployment) {
    let (_, console) = unlinked(deployment, 17).await;
    let guild = deployment.guild();
    let begin = console.get(&link_page(guild)).await;
    let prove = console.press(&begin, "Get a code", &[]).await;
    let cancelled = console.press(&prove, "Cancel", &[]).await;
    cancelled.shows(200, "Nothing was linked.").shows(200, "Get a code");
    let again = console.press(&prove, "Cancel", &[]).await;
    again.shows(200, "This attempt has ended. Begin anew.");
    // A forged form.
    let forged = console.send(Method::POST, &format!("{}/begin", link_page(guild)), &[], &[]).await;
    assert_eq!(forged.status, 403, "{}", forged.text());
}

async fn the_page_of_another_server_tells_strangers_nothing(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let nobody = Console::new(deployment);
    nobody.get(&link_page(guild)).await.asks_to_sign_in();
    nobody.get("/link").await.asks_to_sign_in();
    let (_, console) = unlinked(deployment, 18).await;
    assert_eq!(console.get(&link_page(other)).await.status, 404, "the session is for one server");
    assert_eq!(console.get("/link/17").await.status, 404);
}

async fn a_proof_by_somebody_else_ends_the_link(deployment: &Deployment) {
    let guild = deployment.guild();
    let at = format!("/guilds/{}/settings", guild.id);
    deployment.api().send(Method::PATCH, &at, Some(json!({ "link_ways": ["profile"] }))).await.ok();
    let (first, console) = unlinked(deployment, 16).await;
    let (second, other) = unlinked(deployment, 17).await;
    let mut stale = None;
    for (owner, console) in [(first, &console), (second, &other)] {
        let prove =
            console.press(&console.get(&link_page(guild)).await, "Use words in my profile", &[]).await;
        let words = prove.texts(".code strong").remove(0);
        deployment.simulator.change_profile(json!({ "play_id": first.play, "description": words })).await;
        let play = first.play.to_string();
        let agree = console.press(&prove, "Check my profile", &[("play_username", &play)]).await;
        console.press(&agree, "Link these accounts", &[]).await.shows(200, "has known your Roblox account");
        assert_eq!(link_of(deployment, owner).await["play_id"], first.play);
        // One click away from it once more, by the proof that they have.
        stale = stale.or(Some(
            console.press(&console.get(&link_page(guild)).await, "Link another account", &[]).await,
        ));
    }
    let late = console.press(&stale.unwrap(), "Link these accounts", &[]).await;
    late.shows(200, "This attempt has ended. Begin anew.");
    assert_eq!(link_of(deployment, first).await, Value::Null, "the newest proof wins");
    let told = deployment.job_row("direct_message").await.args;
    assert_eq!(told["to"], first.chat);
    let text = told["text"].as_str().unwrap();
    assert!(text.contains("so it is no longer linked to yours in: "), "{text}");
    console.get("/link").await.shows(200, "You have not proven a Roblox account yet");
}

async fn set_ways(deployment: &Deployment, ways: &[&str]) {
    let at = format!("/guilds/{}/settings", deployment.guild().id);
    deployment.api().send(Method::PATCH, &at, Some(json!({ "link_ways": ways }))).await.ok();
}

async fn a_player_who_did_not_agree_is_not_linked(deployment: &Deployment) {
    let guild = deployment.guild();
    set_ways(deployment, &["code", "profile"]).await;
    let (member, console) = unlinked(deployment, 16).await;
    let prove = console.press(&console.get(&link_page(guild)).await, "Get a code", &[]).await;
    let code = prove.texts("#code .code strong").remove(0);
    let agree = prove_by_profile(deployment, &console, &prove, member.play).await;
    agree.shows(200, "Link these accounts");
    // Somebody else types the code, is asked, and says no.
    let typed = json!({ "code": code, "play_id": 880_001, "play_username": "guest" });
    deployment.api().post("/links/confirm", typed).await.ok();
    console.get(&link_page(guild)).await.shows(200, "Do one of these");
    let refused = console.press(&agree, "Link these accounts", &[]).await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert_eq!(link_of(deployment, member).await, Value::Null);
}

async fn what_was_not_shown_is_not_linked(deployment: &Deployment) {
    let guild = deployment.guild();
    set_ways(deployment, &["profile"]).await;
    let (member, console) = unlinked(deployment, 16).await;
    let (other, _) = unlinked(deployment, 17).await;
    let prove = console.press(&console.get(&link_page(guild)).await, "Use words in my profile", &[]).await;
    let first = prove_by_profile(deployment, &console, &prove, member.play).await;
    // In another tab.
    let second = prove_by_profile(deployment, &console, &prove, other.play).await;
    let refused = console.press(&first, "Link these accounts", &[]).await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert_eq!(link_of(deployment, member).await, Value::Null);
    console.press(&second, "Link these accounts", &[]).await.shows(200, &other.name);
    assert_eq!(link_of(deployment, member).await["play_id"], other.play);
}

async fn signing_in_with_roblox_proves(deployment: &Deployment) {
    let guild = deployment.guild();
    let (member, console) = unlinked(deployment, 16).await;
    let authorize = format!("user_id={}&decision=authorize", member.play);
    let back = go_away(&console, guild, "Sign in with Roblox", &authorize).await;
    // Another person's browser gets nothing of it.
    let (_, other) = unlinked(deployment, 17).await;
    let stolen = other.get(&back).await;
    other.get(stolen.location()).await.shows(200, "This was not begun in this browser");
    let agree = console.get(console.get(&back).await.location()).await;
    agree.shows(200, &member.name).shows(200, "Link these accounts");
    console.press(&agree, "Link these accounts", &[]).await.shows(200, "has known your Roblox account");
    assert_eq!(link_of(deployment, member).await["play_id"], member.play);
    console.get("/link").await.shows(200, "You have proven that");
    // The same way back once more.
    let again = console.get(&back).await;
    console.get(again.location()).await.shows(200, "This was not begun in this browser");
    let cancelled = go_away(&other, guild, "Sign in with Roblox", "decision=cancel").await;
    other
        .get(other.get(&cancelled).await.location())
        .await
        .shows(200, "Roblox says that you pressed Cancel.");
}

async fn an_account_that_discord_has_verified_proves(deployment: &Deployment) {
    let guild = deployment.guild();
    let (member, console) = unlinked(deployment, 16).await;
    let (stranger, _) = unlinked(deployment, 17).await;
    let authorize = |member: &Member| format!("user_id={}&decision=authorize", member.chat);
    let link = "Use the account connected to Discord";
    let back = go_away(&console, guild, link, &authorize(member)).await;
    console
        .get(console.get(&back).await.location())
        .await
        .shows(200, "Discord knows no Roblox account of yours");
    for chat in [&member.chat, &stranger.chat] {
        connect_accounts(deployment, chat, member).await;
    }
    // Whoever is somebody else on Discord's page proves nothing here.
    let back = go_away(&console, guild, link, &authorize(stranger)).await;
    console.get(console.get(&back).await.location()).await.shows(200, "On Discord you are signed in as");
    let back = go_away(&console, guild, link, &authorize(member)).await;
    let agree = console.get(console.get(&back).await.location()).await;
    console.press(&agree, "Link these accounts", &[]).await.shows(200, "has known your Roblox account");
    assert_eq!(link_of(deployment, member).await["source"], "self");
}

async fn nothing_is_forgotten_that_could_not_be_unlinked(deployment: &Deployment) {
    let guild = deployment.guild();
    let member = &guild.members[16];
    let console = Console::new(deployment);
    let start = console.get("/console/sign-in/start").await;
    let back = decide(start.location(), &format!("user_id={}&decision=authorize", member.chat)).await;
    console.get(&back).await;
    let (mine, linked) = (console.get("/link").await, console.get(&link_page(guild)).await);
    mine.shows(200, &format!("Ends your 1 link: {} in ", member.name)).shows(200, "This cannot be undone.");
    // Until the limit of calls is used up.
    for _ in 0..50 {
        console.press(&linked, "Link another account", &[]).await.shows(200, "Do one of these");
    }
    console.press(&mine, "Unlink everywhere and forget me", &[]).await.shows(200, "Try again");
    assert_eq!(link_of(deployment, member).await["play_id"], member.play);
}
