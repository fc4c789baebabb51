//! From a guild without a binding to its first synced member, as an admin proceeds, with scripts and without.

use std::time::Duration;

use testkit::{Deployment, eventually, in_turn};

use super::super::devtools::Browser;
use super::super::tab::Tab;
use super::super::{owner, owner_without_scripts};
use crate::security::sql;

in_turn!(the_first_steps_lead_to_a_synced_member, the_first_steps_work_without_scripts);

const ENDS_WITHIN: Duration = Duration::from_secs(30);

/// Waits for the text, which scripts show, or else reloads the page.
async fn comes(tab: &Tab<'_>, scripts: bool, text: &str) {
    if scripts {
        return tab.sees_within(text, ENDS_WITHIN).await;
    }
    let path = tab.path().await;
    eventually(text, ENDS_WITHIN, async || {
        tab.goto(&path).await;
        tab.text().await.contains(text).then_some(())
    })
    .await;
}

async fn first_run(deployment: &Deployment, tab: &Tab<'_>, scripts: bool) {
    let guild = deployment.guild();
    sql(deployment, "DELETE FROM binding WHERE guild_id = ?", vec![guild.id.parse::<i64>().unwrap().into()])
        .await;
    tab.goto(&format!("/console/guilds/{}", guild.id)).await;
    tab.sees("Roles do not follow Roblox ranks yet").await;
    tab.click("Set up the server").await;
    tab.sees("3 of 5 done").await;
    tab.click("Open bindings").await;
    tab.sees("Members with this rank in a Roblox group").await;
    tab.click("Add binding").await;
    tab.fill("Roblox group", &guild.group.to_string()).await;
    tab.button("Show its ranks").await;
    tab.sees("Rank in group").await;
    tab.fill("Rank in group", "Owner").await;
    tab.fill("Discord role", "Captain").await;
    tab.button("Add binding").await;
    tab.sees("Binding added").await;
    tab.goto(&format!("/console/guilds/{}/first-run", guild.id)).await;
    tab.sees("4 of 5 done").await;
    tab.click("Open sync").await;
    tab.sees("Nobody has looked yet").await;
    tab.button("Preview the sync").await;
    comes(tab, scripts, "Members to change").await;
    assert_eq!(deployment.simulator.updates_of(guild).await, 0);
    tab.click("Run the sync").await;
    tab.sees("Admins can undo it within an hour").await;
    if tab.text().await.contains("Type the word sync") {
        tab.fill("Confirm", "sync").await;
    }
    // Its title names the removals, or the additions.
    let button = tab.evaluate("document.querySelector('main button.danger').textContent").await;
    tab.button(button.as_str().unwrap()).await;
    tab.sees("The sync has started").await;
    comes(tab, scripts, "succeeded").await;
    assert!(deployment.simulator.updates_of(guild).await > 0);
    tab.sees("Members changed").await;
    tab.goto(&format!("/console/guilds/{}/first-run", guild.id)).await;
    tab.sees("5 of 5 done").await;
}

async fn the_first_steps_lead_to_a_synced_member(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    first_run(deployment, &tab, true).await;
    tab.passes().await;
}

async fn the_first_steps_work_without_scripts(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner_without_scripts(deployment, &browser).await;
    first_run(deployment, &tab, false).await;
    assert_eq!(tab.reported(), Vec::<String>::new());
}
