//! Failures in an open page: forms, the connection, the session.

use serde_json::json;
use testkit::{Deployment, in_turn};

use super::devtools::Browser;
use super::tab::Tab;
use super::{owner, sign_in};

in_turn!(
    a_failed_form_keeps_what_was_typed,
    a_form_of_an_ended_session_keeps_what_was_typed,
    an_error_of_a_group_of_choices_takes_the_focus,
    a_failed_button_says_so_beside_the_page,
    a_lost_connection_is_said_and_mended,
    a_page_without_its_session_leads_to_the_sign_in,
);

/// The value of the field "Reason".
const REASON: &str = "document.querySelector('main [name=reason]').value";

impl Tab<'_> {
    async fn offline(&self, offline: bool) {
        self.call("Network.enable", json!({})).await;
        let limits =
            json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.call("Network.emulateNetworkConditions", limits).await;
    }

    /// Loses the cookies, as when the session ends.
    async fn forget(&self) {
        self.call("Network.clearBrowserCookies", json!({})).await;
    }
}

/// Fills in a ban.
async fn fill_ban(deployment: &Deployment, tab: &Tab<'_>) {
    let guild = deployment.guild();
    tab.goto(&format!("/console/guilds/{}/moderation/bans/new", guild.id)).await;
    tab.fill("Person", &guild.members[16].play.to_string()).await;
    tab.fill("Reason", "a long story").await;
    tab.choose("7 days").await;
}

async fn a_failed_form_keeps_what_was_typed(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    fill_ban(deployment, &tab).await;
    let path = tab.path().await;
    tab.offline(true).await;
    tab.button("Add ban").await;
    tab.sees("The service cannot be reached").await;
    tab.offline(false).await;
    assert_eq!((tab.path().await, tab.evaluate(REASON).await), (path, json!("a long story")));
    // A token of another session: the answer has that of this one, and the form is sent once more.
    tab.evaluate("document.querySelectorAll('[name=form_token]').forEach((field) => { field.value = 'x'; })")
        .await;
    tab.button("Try again").await;
    tab.sees("Banned ").await;
}

async fn a_form_of_an_ended_session_keeps_what_was_typed(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    fill_ban(deployment, &tab).await;
    tab.forget().await;
    tab.button("Add ban").await;
    tab.sees("You are signed out").await;
    assert_eq!(tab.evaluate(REASON).await, "a long story");
}

async fn an_error_of_a_group_of_choices_takes_the_focus(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    tab.goto(&format!("/console/guilds/{}/webhooks", deployment.guild().id)).await;
    tab.click("Add webhook").await;
    tab.fill("URL", "https://example.org/").await;
    tab.button("Add webhook").await;
    tab.sees("Choose at least one").await;
    assert_eq!(tab.evaluate("document.activeElement.name").await, "events");
}

async fn a_failed_button_says_so_beside_the_page(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    let guild = deployment.guild();
    tab.goto(&format!("/console/guilds/{}/members/{}", guild.id, guild.members[1].chat)).await;
    let row = "document.getElementById('actions').offsetHeight";
    let before = tab.evaluate(row).await;
    tab.offline(true).await;
    // At once, where no socket has noticed yet.
    tab.sees("Reconnecting. This page is as of ").await;
    tab.button("Sync member").await;
    tab.sees("The service cannot be reached. Nothing was changed.").await;
    tab.does_not_see("What you typed").await;
    assert_eq!(tab.evaluate(row).await, before);
    tab.offline(false).await;
    tab.does_not_see("Reconnecting.").await;
    tab.button("Try again").await;
    tab.does_not_see("The service cannot be reached").await;
    tab.sees("Close").await;
}

async fn a_lost_connection_is_said_and_mended(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    sign_in(deployment, &tab, deployment.guild(), 0, &["--operator"]).await;
    tab.goto("/console/instance/pauses").await;
    tab.evaluate("void (document.getElementById('pauses').seen = true)").await;
    tab.offline(true).await;
    tab.sees("Reconnecting. This page is as of ").await;
    tab.offline(false).await;
    tab.does_not_see("Reconnecting.").await;
    // Nothing has changed there.
    assert_eq!(tab.evaluate("document.getElementById('pauses').seen").await, true);
}

async fn a_page_without_its_session_leads_to_the_sign_in(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    sign_in(deployment, &tab, deployment.guild(), 0, &["--operator"]).await;
    tab.goto("/console/instance/pauses").await;
    tab.forget().await;
    tab.sees("Sign in to manage your server").await;
    assert_eq!(tab.path().await, "/console/sign-in?to=%2Fconsole%2Finstance%2Fpauses");
}
