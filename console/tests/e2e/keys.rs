//! /console/guilds/:guild/keys: a key from its form to its end, as programs notice it.

use std::time::Duration;

use testkit::{Deployment, eventually, in_turn};

use super::security::{permissions, set_permissions};
use testkit::console::{Console, Page};

in_turn!(
    a_key_is_shown_once_and_may_what_was_chosen,
    the_form_says_what_a_choice_allows,
    the_last_use_of_a_key_is_shown,
    what_is_wrong_with_a_key_stands_at_its_field,
    a_key_is_replaced_and_both_are_valid_for_a_while,
    a_key_that_is_replaced_at_once_is_refused,
    a_revoked_key_is_refused_and_stays_listed,
    a_key_is_revoked_with_the_keys_that_it_made,
    staff_with_every_permission_see_no_keys
);

/// Other processes notice within a second; a busy machine may take longer.
const NOTICED_WITHIN: Duration = Duration::from_secs(10);

fn keys(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/keys", deployment.guild().id)
}

/// The text of a key on the page that shows it.
fn text(page: &Page) -> String {
    assert_eq!(page.status, 200, "{}", page.text());
    page.texts("#key-text").pop().unwrap_or_else(|| panic!("{}", page.text()))
}

/// Creates a key for game servers with this name.
async fn made(deployment: &Deployment, console: &Console, name: &str) -> String {
    let page = console.get(&keys(deployment)).await;
    text(&console.press(&page, "Create key", &[("name", name), ("set", "game")]).await)
}

async fn a_key_is_shown_once_and_may_what_was_chosen(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let page = owner.get(&keys(deployment)).await;
    let form = [("name", "lobby <1>"), ("set", "game"), ("scopes", "sync"), ("expires_at", "30")];
    let shown = owner.press(&page, "Create key", &form).await;
    shown.shows(200, "Copy the key now").shows(200, "lobby <1>");
    assert_eq!(shown.header("cache-control"), "no-store");
    let (key, base) = (text(&shown), deployment.api_base(0));
    let call = format!("/moderation/{}/ban-status/1", guild.id);
    shown.shows(200, &format!("curl -H \"X-API-Key: {key}\" \"{base}{call}\""));
    deployment.api().key(&key).get(&call).await.ok();
    assert!(shown.links().contains(&"/docs".to_owned()), "{:?}", shown.links());
    assert!(shown.headers.get_all("set-cookie").iter().next().is_none(), "{:?}", shown.headers);
    let api = deployment.api().key(&key);
    api.get("/bindings/list").await.ok();
    api.post("/interactions/sync", serde_json::json!({ "user_id": guild.right().chat })).await.ok();
    api.get(&format!("/guilds/{}/keys", guild.id)).await.refused(403, &["admin"]);
    let list = owner.get(&shown.link("I have kept it")).await;
    let row = list.row("lobby <1>");
    assert!(row.contains(key.split('_').nth(1).unwrap()), "{row}");
    assert!(row.contains("read, moderation, play, sync") && row.contains(&guild.members[0].name), "{row}");
    assert!(row.contains("in 30 days live"), "{row}");
    let secret = key.split('_').nth(2).unwrap();
    let entry = owner.get(&format!("/console/guilds/{}/audit?action=keys.create", guild.id)).await;
    let entry = owner.get(&entry.link("keys.create")).await;
    entry.shows(200, "lobby <1>");
    assert!(!list.html.contains(secret) && !entry.html.contains(secret), "the secret is shown again");
}

async fn the_form_says_what_a_choice_allows(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&keys(deployment)).await;
    page.shows(200, "Game servers read, moderation, play").has_typed("set", "game");
    let unread = [("name", "writer"), ("set", ""), ("scopes", "play")];
    let shown = owner.press(&page, "Create key", &unread).await;
    assert!(!shown.shows(200, "X-API-Key").contains("curl"), "{}", shown.text());
}

async fn the_last_use_of_a_key_is_shown(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let key = made(deployment, &owner, "lobby").await;
    let list = owner.get(&keys(deployment)).await;
    assert!(list.row("lobby").contains("never never live"), "{}", list.row("lobby"));
    owner.get(&list.link("Revoke lobby")).await.shows(200, "It was never used.");
    deployment.api().key(&key).get("/bindings/list").await.ok();
    eventually("the use is written", NOTICED_WITHIN, async || {
        owner.get(&list.path()).await.row("lobby").contains("just now never live").then_some(())
    })
    .await;
    owner.get(&list.link("Revoke lobby")).await.shows(200, "It was last used just now");
}

async fn what_is_wrong_with_a_key_stands_at_its_field(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&keys(deployment)).await;
    let before = page.text().matches("Revoke").count();
    let right = [("name", "lobby"), ("set", "bot"), ("scopes", "shield"), ("expires_at", "30")];
    let long = "x".repeat(101);
    let days = "Give a number of days from 1 to 3650, or nothing.";
    for (field, typed, said) in [
        ("name", "", "Enter a text"),
        ("name", &long, "Enter a text"),
        ("expires_at", "soon", days),
        ("expires_at", "0", days),
        ("expires_at", "3651", days),
    ] {
        let others = right.into_iter().filter(|(name, _)| *name != field);
        let form: Vec<_> = others.clone().chain([(field, typed)]).collect();
        let refused = owner.press(&page, "Create key", &form).await;
        refused.refuses(field, typed, said);
        for (name, value) in others {
            refused.keeps(name, value);
        }
    }
    let unscoped =
        owner.press(&page, "Create key", &[("name", "lobby"), ("set", ""), ("expires_at", "7")]).await;
    unscoped.shows(422, "Choose what the key is for, or at least one right.");
    unscoped.keeps("set", "").keeps("name", "lobby").keeps("expires_at", "7");
    assert_eq!(owner.get(&page.path()).await.text().matches("Revoke").count(), before);
    owner.get(&format!("{}/zzzzzzzz/revoke", keys(deployment))).await.shows(404, "There is no such page");
}

async fn a_key_is_replaced_and_both_are_valid_for_a_while(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let old = made(deployment, &owner, "lobby").await;
    let ask = owner.get(&owner.get(&keys(deployment)).await.link("Replace lobby")).await;
    ask.shows(200, "Makes a key like lobby").has_typed("overlap_seconds", "86400");
    let forever = [("overlap_seconds", "forever")];
    let wrong = owner.press(&ask, "Replace lobby", &forever).await;
    wrong.shows(422, "Choose one from the list.");
    let shown = owner.press(&wrong, "Replace lobby", &[("overlap_seconds", "604800")]).await;
    let id = old.split('_').nth(1).unwrap();
    shown.shows(200, &format!("The old key {id} ends in 7 days"));
    let new = text(&shown);
    assert_ne!(old, new);
    for key in [&old, &new] {
        deployment.api().key(key).get("/bindings/list").await.ok();
    }
    let list = owner.get(&shown.link("I have kept it")).await;
    assert!(list.row(id).contains("in 7 days live"), "{}", list.row(id));
    let row = list.row(new.split('_').nth(1).unwrap());
    assert!(row.contains("lobby") && row.contains("read, moderation, play"), "{row}");
}

async fn a_key_that_is_replaced_at_once_is_refused(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let old = made(deployment, &owner, "lobby").await;
    let ask = owner.get(&owner.get(&keys(deployment)).await.link("Replace lobby")).await;
    let shown = owner.press(&ask, "Replace lobby", &[("overlap_seconds", "0")]).await;
    deployment.api().key(&old).key_ends(NOTICED_WITHIN).await.refused(401, &["expired"]);
    deployment.api().key(&text(&shown)).get("/bindings/list").await.ok();
    let list = owner.get(&keys(deployment)).await;
    let row = list.row(old.split('_').nth(1).unwrap());
    assert!(row.contains("expired") && !row.contains("Replace"), "{row}");
    // The form of a page that was open for long.
    let late = owner.press(&ask, "Replace lobby", &[]).await;
    late.shows(422, "The key is revoked or expired: create another one instead");
}

async fn a_revoked_key_is_refused_and_stays_listed(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let api = deployment.api().key(&made(deployment, &owner, "lobby").await);
    api.get("/bindings/list").await.ok();
    let list = owner.get(&keys(deployment)).await;
    let ask = owner.get(&list.link("Revoke lobby")).await;
    ask.shows(200, "A revoked key never works again. This cannot be undone.");
    assert_eq!(ask.link("Back without a change"), keys(deployment));
    let revoked = owner.press(&ask, "Revoke lobby", &[]).await;
    revoked.shows(200, "is revoked: every process refuses it within a second.");
    api.key_ends(NOTICED_WITHIN).await.refused(401, &["revoked"]);
    let row = revoked.row("lobby");
    assert!(row.ends_with("revoked"), "{row}");
    assert_eq!(deployment.audit("keys.revoke").await[0]["target_id"], row.split(' ').nth(2).unwrap());
}

async fn a_key_is_revoked_with_the_keys_that_it_made(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&keys(deployment)).await;
    let form = [("name", "root"), ("set", ""), ("scopes", "admin")];
    let root = text(&owner.press(&page, "Create key", &form).await);
    let url = format!("/guilds/{}/keys", deployment.guild().id);
    let child = serde_json::json!({ "name": "sprout", "scopes": ["admin"] });
    let child = deployment.api().key(&root).post(&url, child).await.ok();
    let list = owner.get(&keys(deployment)).await;
    let root_id = root.split('_').nth(1).unwrap();
    assert!(list.row("sprout").contains(&format!("made by key {root_id}")), "{}", list.row("sprout"));
    let ask = owner.get(&list.link("Revoke root")).await;
    ask.shows(200, "Revoke them too").shows(200, "sprout");
    let alone = owner.press(&ask, "Revoke root", &[]).await;
    alone.shows(200, &format!("({root_id}) is revoked"));
    assert!(alone.row("sprout").contains("live"), "{}", alone.row("sprout"));
    // What it made can be revoked later, too.
    let late = owner.get(&alone.link("Revoke root")).await;
    late.shows(200, "It is already revoked.");
    let revoked = owner.press(&late, "Revoke the keys of root", &[]).await;
    revoked.shows(200, "Key sprout (").shows(200, "is revoked: every process refuses it");
    assert!(revoked.row("sprout").ends_with("revoked"), "{}", revoked.row("sprout"));
    deployment
        .api()
        .key(child["text"].as_str().unwrap())
        .key_ends(NOTICED_WITHIN)
        .await
        .refused(401, &["revoked"]);
}

async fn staff_with_every_permission_see_no_keys(deployment: &Deployment) {
    let guild = deployment.guild();
    let all = permissions();
    set_permissions(deployment, &all.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let home = staff.get(&format!("/console/guilds/{}", guild.id)).await;
    assert!(!home.links().contains(&keys(deployment)), "{}", home.text());
    staff.get(&keys(deployment)).await.shows(404, "There is no such page");
    let form = [("name", "x"), ("set", "bot")];
    staff.post(&keys(deployment), &form).await.shows(404, "There is no such page");
    assert!(deployment.audit("keys.create").await.is_empty());
}
