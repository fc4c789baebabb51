//! The pages of members, and the import of links: each step at both widths and in both themes, by keyboard alone, and
//! without scripts.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::console::{link, link_page};
use testkit::{Deployment, Member, OUTSIDER, in_turn};

use super::checks::WIDE;
use super::devtools::Browser;
use super::owner;
use super::tab::Tab;

in_turn!(
    every_step_of_a_member_passes(testkit::console::with_both_platforms),
    pages_of_those_who_cannot_link_pass(own),
    the_keyboard_is_enough_to_link(own),
    members_link_without_scripts(own),
    an_import_passes,
);

/// Elements that hide a part of their content.
const CLIPPED: &str = "[...document.querySelectorAll('main *')]
    .filter((one) => one.checkVisibility() && !one.matches('.hidden, .picture, pre, input, textarea'))
    .filter((one) => getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.outerHTML.slice(0, 120))";
/// No fault of any page, and nothing that is cut off.
pub(super) async fn passes(tab: &Tab<'_>) {
    tab.passes().await;
    for scheme in ["light", "dark"] {
        tab.scheme(scheme).await;
        for width in [320, 1280] {
            tab.width(width).await;
            let place = format!("{} at {width} px, {scheme}", tab.path().await);
            assert_eq!(tab.evaluate(WIDE).await, json!([]), "{place} is too wide");
            assert_eq!(tab.evaluate(CLIPPED).await, json!([]), "{place} cuts off");
        }
    }
    tab.scheme("light").await;
}

async fn set(deployment: &Deployment, settings: Value) {
    let at = format!("/guilds/{}/settings", deployment.guild().id);
    deployment.api().send(Method::PATCH, &at, Some(settings)).await.ok();
}

/// A member without a link.
async fn unlinked(deployment: &Deployment, number: usize) -> &Member {
    let guild = deployment.guild();
    let member = &guild.members[number];
    deployment.api().delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    member
}

/// Signs in, and opens the page of the guild.
async fn sign_in(deployment: &Deployment, tab: &Tab<'_>, chat: &str) {
    let guild = deployment.guild();
    tab.goto(&link(deployment, &guild.id, chat, &[]).await).await;
    tab.button("Sign in as").await;
    tab.sees("you may not see it").await;
    tab.goto(&link_page(guild)).await;
    // Members have no console: the page after the sign-in was not found.
    tab.reported();
}

/// Puts the words of the page into the player's profile.
async fn write_words(deployment: &Deployment, tab: &Tab<'_>, player: &Member) {
    let words = tab.evaluate("document.querySelector('#profile .code strong').textContent").await;
    deployment.simulator.change_profile(json!({ "play_id": player.play, "description": words })).await;
}

const FIELD: &str = "Your Roblox name";

async fn every_step_of_a_member_passes(deployment: &Deployment) {
    set(deployment, json!({ "link_ways": ["code", "profile", "connection", "sign_in"] })).await;
    let member = unlinked(deployment, 16).await;
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    let at = link_page(deployment.guild());
    tab.goto(&format!("/console/sign-in?to={at}")).await;
    tab.sees("Sign in with Discord to link your Roblox account.").await;
    passes(&tab).await;
    sign_in(deployment, &tab, &member.chat).await;
    tab.sees("Sign in with Roblox").await;
    passes(&tab).await;
    tab.follow("Get a code for a game").await;
    tab.sees("With a code in a game").await;
    passes(&tab).await;
    write_words(deployment, &tab, member).await;
    tab.fill(FIELD, &member.play.to_string()).await;
    tab.button("Check my profile").await;
    tab.sees("Link these accounts").await;
    passes(&tab).await;
    tab.button("Link these accounts").await;
    tab.sees("has known your Roblox account").await;
    passes(&tab).await;
    tab.goto("/link").await;
    passes(&tab).await;
    // The policy of our pages does not stop the way to the platform.
    tab.goto(&at).await;
    tab.button("Link another account").await;
    tab.click("Use another Roblox account").await;
    tab.click("Sign in with Roblox").await;
    tab.arrives_at("/oauth/v1/authorize").await;
    tab.goto(&at).await;
    assert!(tab.reported().is_empty(), "no violation of the policy");
}

async fn pages_of_those_who_cannot_link_pass(deployment: &Deployment) {
    set(deployment, json!({ "link_ways": ["profile"], "link_banned": "hold" })).await;
    let (guild, member) = (deployment.guild(), unlinked(deployment, 17).await);
    // By the game account: a ban of the other one would also take them out of the Discord server.
    let ban = json!({ "identifier": member.play.to_string(), "reason": "x", "moderator_id": guild.members[0].chat });
    deployment.api().post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    sign_in(deployment, &tab, &member.chat).await;
    tab.follow("Use words in my profile").await;
    write_words(deployment, &tab, member).await;
    tab.fill(FIELD, &member.play.to_string()).await;
    tab.button("Check my profile").await;
    tab.sees("Link these accounts").await;
    tab.button("Link these accounts").await;
    tab.sees("waits for staff").await;
    passes(&tab).await;
    sign_in(deployment, &tab, OUTSIDER).await;
    tab.sees("is not a member").await;
    passes(&tab).await;
    set(deployment, json!({ "link_ways": [] })).await;
    let other = unlinked(deployment, 18).await;
    sign_in(deployment, &tab, &other.chat).await;
    tab.sees("do not link themselves").await;
    passes(&tab).await;
}

async fn the_keyboard_is_enough_to_link(deployment: &Deployment) {
    set(deployment, json!({ "link_ways": ["profile"] })).await;
    let member = unlinked(deployment, 16).await;
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    sign_in(deployment, &tab, &member.chat).await;
    tab.tab_to("Use words in my profile").await;
    tab.enter().await;
    write_words(deployment, &tab, member).await;
    tab.tab_to(FIELD).await;
    tab.type_text(&member.play.to_string()).await;
    tab.press("Enter").await;
    tab.sees("Link these accounts").await;
    tab.tab_to("Link these accounts").await;
    tab.press("Enter").await;
    tab.sees("has known your Roblox account").await;
    tab.tab_to("Your accounts").await;
    tab.enter().await;
    tab.tab_to("Unlink").await;
    tab.press("Enter").await;
    tab.sees("forgets that").await;
    tab.tab_to("Unlink").await;
    tab.press("Enter").await;
    tab.sees("No server knows a Roblox account of yours.").await;
}

async fn members_link_without_scripts(deployment: &Deployment) {
    set(deployment, json!({ "link_ways": ["profile"] })).await;
    let member = unlinked(deployment, 16).await;
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    tab.without_scripts().await;
    sign_in(deployment, &tab, &member.chat).await;
    tab.button("Use words in my profile").await;
    write_words(deployment, &tab, member).await;
    tab.fill(FIELD, &member.play.to_string()).await;
    tab.button("Check my profile").await;
    tab.button("Link these accounts").await;
    tab.sees("has known your Roblox account").await;
    tab.click("Unlink").await;
    tab.button("Unlink").await;
    tab.sees("Unlinked in").await;
}

async fn an_import_passes(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    tab.goto(&format!("/console/guilds/{}/members/import", deployment.guild().id)).await;
    passes(&tab).await;
    tab.fill("Lines", &format!("{OUTSIDER},880006,late\nx,7,ann")).await;
    tab.tab_to("Show what would be done").await;
    tab.press("Enter").await;
    tab.sees("What would be done").await;
    passes(&tab).await;
    tab.button("Link 1 member").await;
    tab.sees("What was done").await;
    passes(&tab).await;
}
