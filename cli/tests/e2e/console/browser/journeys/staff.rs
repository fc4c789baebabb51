//! A leave: requested by a staff member, approved by the owner while the page of the first follows.

use std::time::Duration;

use testkit::{Deployment, both_modes, eventually};

use super::super::devtools::Browser;
use super::super::tab::Tab;
use super::super::{owner, sign_in};

both_modes!(a_leave_is_requested_and_approved);

async fn a_leave_is_requested_and_approved(deployment: &Deployment) {
    let (browser, guild) = (Browser::start().await, deployment.guild());
    let own = Tab::open(&browser, &deployment.api_base(0)).await;
    sign_in(deployment, &own, guild, 1, &[]).await;
    let leave = format!("/console/guilds/{}/staff/leave", guild.id);
    own.goto(&leave).await;
    own.fill("First day", "2040-07-01").await;
    own.fill("Last day", "2040-07-14").await;
    own.fill("Reason", "family <i>matters</i>").await;
    own.button("Request leave").await;
    own.sees("Leave requested").await;
    own.passes().await;
    let listed = format!("/guilds/{}/staff/loa", guild.id);
    let leaves = async || deployment.api().get(&listed).await.ok().to_string();
    assert!(!leaves().await.contains("family"), "a request is no leave");

    let tab = owner(deployment, &browser).await;
    tab.goto(&leave).await;
    tab.sees("family <i>matters</i>").await;
    tab.passes().await;
    tab.click("Actions").await;
    tab.button("Approve request").await;
    eventually("the leave is approved", Duration::from_secs(10), async || {
        leaves().await.contains("family").then_some(())
    })
    .await;
    tab.passes().await;
}
