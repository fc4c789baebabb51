//! A binding: added and undone, by mouse and by keyboard.

use testkit::{Deployment, in_turn};

use super::super::devtools::Browser;
use super::super::tab::Tab;
use super::super::{owner, owner_without_scripts};

in_turn!(
    a_binding_is_added_and_undone,
    a_binding_is_added_and_undone_without_scripts,
    a_binding_is_added_by_keyboard_alone,
);

async fn count(deployment: &Deployment) -> usize {
    deployment.api().get("/bindings/list").await.ok()["bindings"].as_array().unwrap().len()
}

async fn add_and_undo(deployment: &Deployment, tab: &Tab<'_>) {
    let before = count(deployment).await;
    tab.click("Bindings").await;
    tab.sees("Members with this rank in a Roblox group").await;
    tab.click("Add binding").await;
    tab.fill("Roblox group", "nonsense").await;
    tab.button("Show its ranks").await;
    tab.sees("A group's number has digits only").await;
    tab.fill("Roblox group", &deployment.guild().group.to_string()).await;
    tab.button("Show its ranks").await;
    tab.sees("Rank in group").await;
    tab.does_not_see("Lowest rank").await;
    // Each kind asks for what it needs, and for no more.
    tab.fill("For whom", "one role").await;
    tab.sees("One role in the group").await;
    tab.does_not_see("Rank in group").await;
    tab.fill("For whom", "one rank").await;
    tab.does_not_see("One role in the group").await;
    tab.fill("Rank in group", "Owner").await;
    tab.fill("Discord role", "Captain").await;
    tab.button("Add binding").await;
    tab.sees("Binding added").await;
    assert_eq!(count(deployment).await, before + 1);
    tab.click("Undo").await;
    tab.sees("Binding removed").await;
    assert_eq!(count(deployment).await, before);
}

async fn a_binding_is_added_and_undone(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    add_and_undo(deployment, &tab).await;
    tab.passes().await;
}

async fn a_binding_is_added_and_undone_without_scripts(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner_without_scripts(deployment, &browser).await;
    add_and_undo(deployment, &tab).await;
    assert_eq!(tab.reported(), Vec::<String>::new());
}

async fn a_binding_is_added_by_keyboard_alone(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    let before = count(deployment).await;
    tab.tab_to("Bindings").await;
    tab.press("Enter").await;
    tab.sees("Members with this rank in a Roblox group").await;
    tab.tab_to("Add binding").await;
    tab.press("Enter").await;
    tab.tab_to("Roblox group").await;
    tab.type_text(&deployment.guild().group.to_string()).await;
    tab.enter().await;
    tab.tab_to("Rank in group").await;
    tab.letters("Owner").await;
    tab.tab_to("Discord role").await;
    tab.letters("Captain").await;
    tab.tab_to("Add binding").await;
    tab.press("Enter").await;
    tab.sees("Binding added").await;
    assert_eq!(count(deployment).await, before + 1);
}
