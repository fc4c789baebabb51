//! Changes by the live socket do not move what a person points at or reads.

use serde_json::json;
use testkit::{Deployment, in_turn};

use super::devtools::Browser;
use super::owner;
use super::tab::Tab;

in_turn!(live_rows_move_nothing_that_is_pointed_at_or_read);

/// The number of the new ban.
async fn ban(deployment: &Deployment, member: usize, reason: &str) {
    let (guild, api) = (deployment.guild(), deployment.api());
    let (player, owner) = (guild.members[member].play.to_string(), &guild.members[0].chat);
    let body = json!({ "identifier": player, "reason": reason, "moderator_id": owner });
    api.post(&format!("/moderation/{}/play/ban", guild.id), body).await.ok();
}

/// How far below the top of the window the link is.
async fn top_of(tab: &Tab<'_>, words: &str) -> f64 {
    let link =
        format!("[...document.querySelectorAll('main a')].find((one) => one.textContent === '{words}')");
    tab.evaluate(&format!("{link}.getBoundingClientRect().top")).await.as_f64().unwrap()
}

async fn live_rows_move_nothing_that_is_pointed_at_or_read(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    ban(deployment, 10, "the first").await;
    let link = "#1".to_owned();
    ban(deployment, 11, "the second").await;
    tab.goto(&format!("/console/guilds/{}/moderation/bans", deployment.guild().id)).await;

    // The page is too short to scroll.
    tab.point_at(&link).await;
    let before = top_of(&tab, &link).await;
    ban(deployment, 12, "the third").await;
    tab.sees("the third").await;
    assert!((top_of(&tab, &link).await - before).abs() < 1.0, "the row moves under the pointer");

    tab.point_at("Guildhall").await;
    tab.evaluate("void (document.querySelector('main').style.paddingBottom = '2000px')").await;
    tab.evaluate("document.querySelector('main tbody tr').scrollIntoView()").await;
    let before = top_of(&tab, &link).await;
    ban(deployment, 13, "the fourth").await;
    tab.sees("the fourth").await;
    assert!((top_of(&tab, &link).await - before).abs() < 1.0, "the rows in view move");
}
