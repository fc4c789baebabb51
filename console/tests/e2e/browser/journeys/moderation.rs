//! A ban: added, seen by games, lifted, and restored by Undo.

use std::time::Duration;

use serde_json::Value;
use testkit::{Deployment, eventually, in_turn};

use super::super::devtools::Browser;
use super::super::tab::Tab;
use super::super::{owner, owner_without_scripts};

in_turn!(
    a_ban_is_added_lifted_and_back,
    a_ban_is_added_lifted_and_back_without_scripts,
    the_form_shows_the_person_while_it_is_filled_in,
    a_choice_stays_under_the_mouse_when_a_field_is_left,
);

/// The answer to a game server.
async fn is_banned(deployment: &Deployment, player: &str) -> bool {
    let path = format!("/moderation/{}/ban-status/{player}", deployment.guild().id);
    let status: Value = deployment.api().get(&path).await.ok();
    status["banned"].as_bool().unwrap()
}

async fn ban_and_lift(deployment: &Deployment, tab: &Tab<'_>) {
    let player = deployment.guild().members[15].play.to_string();
    tab.click("Moderation").await;
    tab.sees("Mutes").await;
    tab.click("Add ban").await;
    tab.sees("keeps them out").await;
    tab.fill("Person", &player).await;
    tab.fill("Reason", "said \"<b>no</b>\" & left").await;
    tab.choose("7 days").await;
    tab.button("Add ban").await;
    tab.sees("Banned ").await;
    tab.sees("said \"<b>no</b>\" & left").await;
    assert!(is_banned(deployment, &player).await);
    tab.click("Lift ban").await;
    tab.fill("Why", "a mistake").await;
    tab.button("Lift ban").await;
    tab.sees("Lifted the ban of").await;
    assert!(!is_banned(deployment, &player).await);
    tab.button("Undo").await;
    tab.sees("Lift ban").await;
    assert!(is_banned(deployment, &player).await);
}

async fn a_ban_is_added_lifted_and_back(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    ban_and_lift(deployment, &tab).await;
    tab.passes().await;
}

async fn a_ban_is_added_lifted_and_back_without_scripts(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner_without_scripts(deployment, &browser).await;
    ban_and_lift(deployment, &tab).await;
    assert_eq!(tab.reported(), Vec::<String>::new());
}

async fn the_form_shows_the_person_while_it_is_filled_in(deployment: &Deployment) {
    let (browser, member) = (Browser::join().await, &deployment.guild().members[15]);
    let tab = owner(deployment, &browser).await;
    tab.goto(&format!("/console/guilds/{}/moderation/bans/new", deployment.guild().id)).await;
    // Another field takes the focus.
    tab.fill("Person", &member.chat).await;
    tab.fill("Reason", "spa").await;
    tab.sees(&member.name).await;
    tab.fill("Person", "555001").await;
    tab.fill("Reason", "spam").await;
    tab.sees("Roblox knows no account with the id 555001.").await;
    tab.passes().await;
    tab.choose("Ban this id all the same").await;
    tab.choose("Permanent").await;
    tab.button("Add ban").await;
    tab.sees("Banned Roblox 555001 permanently.").await;
}

async fn a_choice_stays_under_the_mouse_when_a_field_is_left(deployment: &Deployment) {
    let (browser, member) = (Browser::join().await, &deployment.guild().members[15]);
    let tab = owner(deployment, &browser).await;
    tab.goto(&format!("/console/guilds/{}/moderation/bans/new", deployment.guild().id)).await;
    let top = "document.querySelector('main fieldset').getBoundingClientRect().top + scrollY";
    let fresh = tab.evaluate(top).await;
    tab.fill("Person", "Nobody Here").await;
    tab.fill("Reason", "spam").await;
    tab.choose("1 hour").await;
    tab.button("Add ban").await;
    // The check while typing says the same; only the refused form marks the field.
    eventually("the form is refused", Duration::from_secs(10), async || {
        (tab.evaluate("Boolean(document.querySelector('#identifier[aria-invalid]'))").await == true)
            .then_some(())
    })
    .await;
    let refused = tab.evaluate(top).await;
    tab.fill("Person", &member.name).await;
    tab.choose("7 days").await;
    assert_eq!(tab.evaluate("document.querySelector('[value=\"604800\"]').checked").await, true);
    tab.sees(&member.chat).await;
    assert_eq!([&refused, &tab.evaluate(top).await], [&fresh; 2]);
    tab.button("Add ban").await;
    tab.sees("for 7 days.").await;
}
