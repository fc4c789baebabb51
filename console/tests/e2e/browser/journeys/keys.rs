//! A key: created, used by a program, revoked.

use std::time::Duration;

use testkit::{Deployment, eventually, in_turn};

use super::super::devtools::Browser;
use super::super::tab::Tab;
use super::super::{owner, owner_without_scripts};

in_turn!(a_key_is_created_used_and_revoked, a_key_is_created_used_and_revoked_without_scripts);

async fn a_key_is_created_used_and_revoked(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    create_use_and_revoke(deployment, &tab).await;
    tab.passes().await;
}

async fn a_key_is_created_used_and_revoked_without_scripts(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner_without_scripts(deployment, &browser).await;
    create_use_and_revoke(deployment, &tab).await;
    assert_eq!(tab.reported(), Vec::<String>::new());
}

async fn create_use_and_revoke(deployment: &Deployment, tab: &Tab<'_>) {
    tab.click("Keys").await;
    tab.click("Create key").await;
    tab.sees("Something else").await;
    tab.fill("Name", "lobby <b>").await;
    tab.choose("Game servers").await;
    tab.button("Create key").await;
    tab.sees("only time that the text").await;
    let text = tab.evaluate("document.getElementById('key-text').textContent").await;
    let api = deployment.api().key(text.as_str().unwrap());
    api.get("/bindings/list").await.ok();
    tab.follow("I have kept it").await;
    tab.sees("lobby <b>").await;
    assert!(
        !tab.evaluate("document.documentElement.outerHTML")
            .await
            .as_str()
            .unwrap()
            .contains(text.as_str().unwrap())
    );
    tab.click("Revoke lobby <b>").await;
    tab.sees("This cannot be undone").await;
    tab.button("Revoke lobby <b>").await;
    tab.sees("revoked").await;
    eventually("programs are refused", Duration::from_secs(5), async || {
        (api.get("/bindings/list").await.status == 401).then_some(())
    })
    .await;
}
