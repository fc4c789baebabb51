//! The pages on which members apply: at both widths and in both themes, by keyboard alone, and without scripts.

use serde_json::json;
use testkit::console::link;
use testkit::{Deployment, in_turn};

use super::devtools::Browser;
use super::member_pages::passes;
use super::tab::Tab;

in_turn!(every_step_of_an_applicant_passes, the_keyboard_is_enough_to_apply, members_apply_without_scripts);

const LONG: &str = "Averyverylongwordthatdoesnotbreakanywhereatal";

async fn panel(deployment: &Deployment) {
    let questions = json!([
        { "label": "Name", "kind": "text", "required": false },
        { "label": "Why?", "kind": "paragraph" },
        { "label": LONG, "kind": "choice", "options": ["Red", LONG.repeat(2)] },
        { "label": "Hours", "kind": "choice", "options": ["1", "2", "3", "4", "5", "6", LONG.repeat(2)] },
        { "label": "Rules", "kind": "agree" },
    ]);
    let panel = json!({ "panel_id": 7, "name": LONG.repeat(2), "questions": questions });
    deployment.api().post(&format!("/guilds/{}/application-panels", deployment.guild().id), panel).await.ok();
}

/// Signs a member in, and opens the page of the panel.
async fn applicant(deployment: &Deployment, tab: &Tab<'_>) {
    let guild = deployment.guild();
    tab.goto(&link(deployment, &guild.id, &guild.members[16].chat, &[]).await).await;
    tab.button("Sign in as").await;
    tab.sees("you may not see it").await;
    tab.goto(&format!("/apply/{}/7", guild.id)).await;
    // Members have no console: the page after the sign-in was not found.
    tab.reported();
}

async fn every_step_of_an_applicant_passes(deployment: &Deployment) {
    panel(deployment).await;
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    let guild = &deployment.guild().id;
    tab.goto(&format!("/console/sign-in?to=/apply/{guild}/7")).await;
    tab.sees("only members of the server apply there").await;
    passes(&tab).await;
    applicant(deployment, &tab).await;
    passes(&tab).await;
    tab.fill("Why?", "I like order").await;
    tab.sees("12 of at most 1,000 characters.").await;
    tab.choose("Red").await;
    tab.fill("Hours", "2").await;
    tab.button("Send application").await;
    tab.sees("Must be agreed to.").await;
    // The answer to the form has this status.
    tab.reported();
    passes(&tab).await;
    tab.choose("I agree").await;
    tab.button("Send application").await;
    tab.sees("You have applied.").await;
    passes(&tab).await;
    tab.click("Your answers").await;
    tab.sees("I like order").await;
    passes(&tab).await;
    let api = format!("/guilds/{guild}/application-submissions/1/refuse");
    deployment.api().post(&api, json!({ "reason": LONG.repeat(3) })).await.ok();
    tab.goto(&format!("/apply/{guild}/7")).await;
    passes(&tab).await;
    tab.follow("All that you can apply for").await;
    tab.sees("refused").await;
    passes(&tab).await;
    tab.goto("/link").await;
    tab.sees("What you can apply for").await;
    passes(&tab).await;
}

async fn the_keyboard_is_enough_to_apply(deployment: &Deployment) {
    panel(deployment).await;
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    applicant(deployment, &tab).await;
    tab.tab_to("Why?").await;
    tab.type_text("order").await;
    tab.tab_to("Red").await;
    tab.press(" ").await;
    tab.tab_to("Hours").await;
    tab.press("ArrowDown").await;
    tab.tab_to("I agree").await;
    tab.press(" ").await;
    tab.tab_to("Send application").await;
    tab.press("Enter").await;
    tab.sees("You have applied.").await;
}

async fn members_apply_without_scripts(deployment: &Deployment) {
    panel(deployment).await;
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    tab.without_scripts().await;
    applicant(deployment, &tab).await;
    tab.fill("Why?", "I like order").await;
    tab.choose("Red").await;
    tab.fill("Hours", "2").await;
    tab.button("Send application").await;
    tab.sees("Must be agreed to.").await;
    tab.choose("I agree").await;
    tab.button("Send application").await;
    tab.sees("You have applied.").await;
}
