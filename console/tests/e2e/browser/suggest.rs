//! Suggestions below the search and below fields that name people, by keyboard alone.

use serde_json::json;
use testkit::{Deployment, eventually, in_turn};

use std::time::Duration;

use super::devtools::Browser;
use super::owner;
use super::tab::Tab;

in_turn!(suggestions_are_chosen_by_keyboard);

const WITHIN: Duration = Duration::from_secs(10);
/// What a screen reader says: whether the list is open, and the option that is marked.
const SAID: &str = "(() => {
    const { ariaExpanded, role } = document.activeElement;
    const marked = document.getElementById(document.activeElement.getAttribute('aria-activedescendant'));
    return [role, ariaExpanded, marked?.innerText ?? ''].join(' | ');
})()";

async fn says(tab: &Tab<'_>, text: &str) {
    let what = format!("the list says {text:?}");
    eventually(&what, WITHIN, async || {
        tab.evaluate(SAID).await.as_str().unwrap_or_default().contains(text).then_some(())
    })
    .await;
}

async fn suggestions_are_chosen_by_keyboard(deployment: &Deployment) {
    let (browser, guild) = (Browser::join().await, deployment.guild());
    let tab = owner(deployment, &browser).await;
    let [member, other] = [&guild.members[11], &guild.members[12]];
    let server = json!({ "server_id": "arena-1", "place_id": 11, "universe_id": 12, "player_count": 1 });
    deployment.api().post("/play/servers/heartbeat", server).await.ok();

    tab.letters("/").await;
    tab.type_text("aren").await;
    says(&tab, "combobox | true | ").await;
    tab.passes().await;
    tab.press("ArrowDown").await;
    says(&tab, "arena-1").await;
    tab.press("Enter").await;
    tab.arrives_at(&format!("/console/guilds/{}/servers/arena%2D1", guild.id)).await;

    tab.goto(&format!("/console/guilds/{}/moderation/bans/new", guild.id)).await;
    tab.fill("Person", &member.name[1..member.name.len() - 1]).await;
    says(&tab, "combobox | true | ").await;
    // Escape closes the list, and leaves what was typed.
    tab.press("Escape").await;
    says(&tab, "combobox | false | ").await;
    assert_eq!(tab.evaluate("document.activeElement.value").await, member.name[1..member.name.len() - 1]);
    tab.fill("Person", &other.name[1..]).await;
    says(&tab, "combobox | true | ").await;
    tab.press("ArrowUp").await;
    says(&tab, &other.name).await;
    tab.press("Enter").await;
    says(&tab, "combobox | false | ").await;
    assert_eq!(tab.evaluate("document.activeElement.value").await, other.name.as_str());
    tab.sees(&other.chat).await;
    tab.passes().await;
}
