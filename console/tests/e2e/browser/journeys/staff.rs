//! A leave: requested by a staff member, approved by the owner while the page of the first follows.

use std::time::Duration;

use testkit::{Deployment, eventually, in_turn};

use super::super::devtools::Browser;
use super::super::sign_in;
use super::super::tab::Tab;

in_turn!(a_leave_is_requested_and_approved, a_leave_is_requested_and_approved_without_scripts);

async fn a_leave_is_requested_and_approved(deployment: &Deployment) {
    let browser = Browser::join().await;
    let own = Tab::open(&browser, deployment).await;
    let tab = Tab::open(&browser, deployment).await;
    request_and_approve(deployment, &own, &tab).await;
    own.passes().await;
    tab.passes().await;
}

async fn a_leave_is_requested_and_approved_without_scripts(deployment: &Deployment) {
    let browser = Browser::join().await;
    let own = Tab::open(&browser, deployment).await;
    let tab = Tab::open(&browser, deployment).await;
    own.without_scripts().await;
    tab.without_scripts().await;
    request_and_approve(deployment, &own, &tab).await;
    assert_eq!([own.reported(), tab.reported()].concat(), Vec::<String>::new());
}

/// `own` is the staff member's, `tab` the owner's.
async fn request_and_approve(deployment: &Deployment, own: &Tab<'_>, tab: &Tab<'_>) {
    let guild = deployment.guild();
    sign_in(deployment, own, guild, 1, &[]).await;
    let leave = format!("/console/guilds/{}/staff/leave", guild.id);
    own.goto(&leave).await;
    own.click("Request leave").await;
    own.fill("First day", "2040-07-01").await;
    own.fill("Last day", "2040-07-14").await;
    own.fill("Reason", "family <i>matters</i>").await;
    own.button("Request leave").await;
    own.sees("Leave requested").await;
    let listed = format!("/guilds/{}/staff/loa", guild.id);
    let leaves = async || deployment.api().get(&listed).await.ok().to_string();
    assert!(!leaves().await.contains("family"), "a request is no leave");

    sign_in(deployment, tab, guild, 0, &[]).await;
    tab.goto(&leave).await;
    tab.sees("family <i>matters</i>").await;
    tab.button("Approve request").await;
    eventually("the leave is approved", Duration::from_secs(10), async || {
        leaves().await.contains("family").then_some(())
    })
    .await;
}
