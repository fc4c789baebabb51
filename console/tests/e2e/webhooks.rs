//! /console/guilds/:guild/webhooks: a webhook from its form to its end.

use std::time::Duration;

use serde_json::Value;
use testkit::console::{Console, Page};
use testkit::{Deployment, Receiver, eventually, in_turn};

use super::security::{permissions, set_permissions};

in_turn!(
    a_webhook_is_added_tested_and_its_secret_shown_once,
    what_is_sent_is_chosen_by_boxes_and_words,
    a_delivery_is_sent_again,
    a_secret_is_replaced,
    a_webhook_is_switched_off_and_removed,
    what_is_wrong_with_a_webhook_stands_at_its_field,
    staff_with_every_permission_see_no_webhooks
);

fn webhooks(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/webhooks", deployment.guild().id)
}

/// The secret on the page that shows it.
fn secret(page: &Page) -> Value {
    page.shows(200, "Copy the secret now");
    assert_eq!(page.header("cache-control"), "no-store");
    page.texts("#secret-text").pop().unwrap().into()
}

/// Adds a webhook with these fields beside its URL, and returns its page and its receiver.
async fn added(deployment: &Deployment, owner: &Console, fields: &[(&str, &str)]) -> (Page, Receiver) {
    let (page, receiver) = (owner.get(&webhooks(deployment)).await, Receiver::start().await);
    let url = receiver.url();
    let form: Vec<_> = [("url", url.as_str())].into_iter().chain(fields.iter().copied()).collect();
    let shown = owner.press(&page, "Add webhook", &form).await;
    receiver.trusts(&secret(&shown));
    (owner.get(&shown.link("I have kept it")).await, receiver)
}

/// The page, once the newest delivery is in this state.
async fn delivered(owner: &Console, page: &Page, state: &str) -> Page {
    eventually(&format!("a delivery {state}"), Duration::from_secs(20), async || {
        let page = owner.get(&page.path()).await;
        page.texts("#deliveries tbody tr").first().is_some_and(|row| row.contains(state)).then_some(page)
    })
    .await
}

async fn a_webhook_is_added_tested_and_its_secret_shown_once(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let (page, receiver) = added(deployment, &owner, &[("events", "moderation")]).await;
    page.shows(200, "Nothing was sent yet.");
    assert!(!page.html.contains("whsec_"), "the secret is shown again");
    let said = owner.press(&page, "Send a test", &[]).await;
    said.shows(200, "A test is on its way");
    assert_eq!(receiver.wait_for(1).await[0].body["type"], "webhook.test");
    let page = delivered(&owner, &page, "succeeded").await;
    page.shows(200, "webhook.test succeeded answered 204 1");
    let list = owner.get(&webhooks(deployment)).await;
    assert!(list.row(&receiver.url()).contains("Bans and mutes on"), "{}", list.row(&receiver.url()));
}

async fn what_is_sent_is_chosen_by_boxes_and_words(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let fields = [("events", "job jobs"), ("events", "shield"), ("single_events", "notes.create loa.create")];
    let (page, receiver) = added(deployment, &owner, &fields).await;
    let row = owner.get(&webhooks(deployment)).await.row(&receiver.url());
    assert!(
        row.contains("Shield; Jobs that a person or key ends or starts again; loa.create; notes.create"),
        "{row}"
    );
    page.has_typed("single_events", "loa.create notes.create");
    let saved = owner.press(&page, "Save webhook", &[("events", "*"), ("single_events", "")]).await;
    saved.shows(200, "saved.");
    let row = owner.get(&webhooks(deployment)).await.row(&receiver.url());
    assert!(row.contains("Everything"), "{row}");
}

async fn a_delivery_is_sent_again(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let (page, receiver) = added(deployment, &owner, &[("single_events", "webhooks.test")]).await;
    // Whoever asks for a test makes an entry, which is sent after it.
    owner.press(&page, "Send a test", &[]).await;
    receiver.wait_for(2).await;
    let page = delivered(&owner, &page, "webhooks.test").await;
    let page = delivered(&owner, &page, "succeeded").await;
    owner.press(&page, "Send again", &[]).await.shows(200, "The event is sent again.");
    let got = receiver.wait_for(3).await;
    let of_entry: Vec<_> = got.iter().filter(|event| event.body["type"] == "webhooks.test").collect();
    assert_eq!((of_entry.len(), &of_entry[0].id), (2, &of_entry[1].id));
}

async fn a_secret_is_replaced(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let (page, receiver) = added(deployment, &owner, &[("events", "shield")]).await;
    assert!(page.has("details form[action$='/secret']"), "it asks first: {}", page.html);
    let shown = owner.press(&page, "Replace the secret", &[]).await;
    let new = secret(&shown);
    receiver.trusts(&new);
    let page = owner.get(&shown.link("I have kept it")).await;
    page.shows(200, "The old secret signs too");
    owner.press(&page, "Send a test", &[]).await;
    let got = receiver.wait_for(1).await;
    assert_eq!((got[0].status, got[0].signatures), (204, 2));
}

async fn a_webhook_is_switched_off_and_removed(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let (page, receiver) = added(deployment, &owner, &[("events", "shield")]).await;
    let off = owner.press(&page, "Switch off", &[]).await;
    off.shows(200, "It is off: nothing is sent.");
    assert!(!off.has("form[action$='/test']"), "{}", off.text());
    owner.press(&off, "Switch on", &[]).await.shows(200, "It is on");
    assert!(page.has("details form[action$='/remove']"), "it asks first: {}", page.html);
    let list = owner.press(&page, "Remove webhook", &[]).await;
    list.shows(200, "removed.");
    assert!(!list.texts("tbody tr").iter().any(|row| row.contains(&receiver.url())), "{}", list.text());
    owner.get(&page.path()).await.shows(404, "There is no such page");
}

async fn what_is_wrong_with_a_webhook_stands_at_its_field(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&webhooks(deployment)).await;
    let inside = [("url", "https://10.0.0.1/"), ("events", "shield")];
    let wrong = owner.press(&page, "Add webhook", &inside).await;
    wrong.shows(422, "private network").has_typed("url", "https://10.0.0.1/");
    let nothing = owner.press(&page, "Add webhook", &[("url", "https://example.org/")]).await;
    nothing.shows(422, "Choose at least one");
    assert_eq!(nothing.texts("#problem-events").len(), 1);
    let unknown = [("url", "https://example.org/"), ("single_events", "moderation.bans")];
    owner.press(&page, "Add webhook", &unknown).await.refuses(
        "single_events",
        "moderation.bans",
        "There is no event",
    );
}

async fn staff_with_every_permission_see_no_webhooks(deployment: &Deployment) {
    let guild = deployment.guild();
    let all = permissions();
    set_permissions(deployment, &all.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let home = staff.get(&format!("/console/guilds/{}", guild.id)).await;
    assert!(!home.links().contains(&webhooks(deployment)), "{}", home.text());
    staff.get(&webhooks(deployment)).await.shows(404, "There is no such page");
    let form = [("url", "https://example.org/"), ("events", "*")];
    staff.post(&webhooks(deployment), &form).await.shows(404, "There is no such page");
    assert!(deployment.audit("webhooks.add").await.is_empty());
}
