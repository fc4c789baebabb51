//! /apply, and the button of a panel that is posted in a channel.

use serde_json::{Value, json};
use testkit::{Deployment, both_modes, in_turn};

use super::{Seen, forged, registered, typed};
use crate::gateway::connected;

both_modes!(
    a_member_applies_by_the_posted_button,
    a_member_applies_without_a_public_address(crate::chat_commands::stream::by_stream),
);

in_turn!(
    a_closed_panel_and_a_second_application_are_told_in_words,
    several_panels_are_shown_as_buttons,
    a_button_of_a_removed_panel_says_so,
    questions_that_changed_meanwhile_are_named,
    more_than_the_form_takes_leads_to_the_page(testkit::console::with_both_platforms),
);

fn questions() -> Value {
    json!([
        { "label": "Name", "kind": "text", "required": false },
        { "label": "Why?", "kind": "paragraph" },
        { "label": "Team", "kind": "choice", "options": ["Red", "Blue"] },
        { "label": "Rules read?", "kind": "agree" },
    ])
}

async fn panel(deployment: &Deployment, name: &str, questions: Value) -> Value {
    let path = format!("/guilds/{}/application-panels", deployment.guild().id);
    deployment.api().post(&path, json!({ "name": name, "questions": questions })).await.ok()
}

fn of(deployment: &Deployment, panel: &Value, rest: &str) -> String {
    format!("/guilds/{}/application-panels/{}{rest}", deployment.guild().id, panel["panel_id"])
}

/// The message with the button, as a member sees it in the guild's first channel.
async fn posted(deployment: &Deployment, panel: &Value) -> (String, String) {
    let guild = &deployment.guild().id;
    deployment.api().post(&of(deployment, panel, "/publish"), json!({ "channel_id": guild })).await.ok();
    let messages = deployment.simulator.messages_in(guild).await;
    let message = messages.last().unwrap();
    let button = &message["components"][0]["components"][0]["custom_id"];
    (message["message_id"].as_str().unwrap().to_owned(), button.as_str().unwrap().to_owned())
}

async fn pressed(deployment: &Deployment, user: &str, (message, button): &(String, String)) -> Seen {
    let report = deployment.simulator.press(user, message, button).await;
    Seen::of(deployment, user, &report).await
}

fn filled() -> Value {
    json!({ "Why?": "I like **order**", "Team": ["Blue"], "Rules read?": ["yes"] })
}

async fn submissions(deployment: &Deployment) -> Vec<Value> {
    let path = format!("/guilds/{}/application-submissions", deployment.guild().id);
    deployment.api().get(&path).await.ok()["submissions"].as_array().unwrap().clone()
}

async fn a_member_applies_by_the_posted_button(deployment: &Deployment) {
    let member = &deployment.guild().members[12].chat;
    let panel = panel(deployment, "Events *team*", questions()).await;
    let button = posted(deployment, &panel).await;
    let form = pressed(deployment, member, &button).await;
    let modal = &form.state["modal"];
    assert_eq!(
        (&modal["title"], modal["components"].as_array().unwrap().len()),
        (&json!("Events *team*"), 4)
    );
    let kinds: Vec<_> = modal["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| label["component"]["type"].clone())
        .collect();
    assert_eq!(kinds, [4, 4, 3, 22], "{modal}");
    let sent = form.fill_all(deployment, filled()).await;
    sent.says(&["Your application for **Events \\*team\\***", "number 1"]);
    let all = submissions(deployment).await;
    assert_eq!((all.len(), &all[0]["chat_id"]), (1, &json!(member)));
    let answers = json!({ "Why?": "I like **order**", "Team": "Blue", "Rules read?": true });
    assert_eq!((&all[0]["answers"], &all[0]["state"]), (&answers, &json!("open")));
    assert_eq!(deployment.audit("application_submissions.add").await[0]["actor_id"], member.as_str());
    // Nobody else sees it.
    let shown = json!(deployment.simulator.messages_in(&deployment.guild().id).await).to_string();
    assert!(!shown.contains("Your application"), "{shown}");
}

async fn a_member_applies_without_a_public_address(deployment: &Deployment) {
    connected(deployment).await;
    registered(deployment).await;
    a_member_applies_by_the_posted_button(deployment).await;
    // The command opens the form of the only panel.
    let other = &deployment.guild().members[13].chat;
    let form = typed(deployment, other, "apply", json!({})).await;
    form.fill_all(deployment, filled()).await.says(&["number 2"]);
}

async fn a_closed_panel_and_a_second_application_are_told_in_words(deployment: &Deployment) {
    let (api, members) = (deployment.api(), &deployment.guild().members);
    let panel = panel(deployment, "Team", questions()).await;
    let button = posted(deployment, &panel).await;
    let early = pressed(deployment, &members[12].chat, &button).await;
    let late = pressed(deployment, &members[13].chat, &button).await;
    early.fill_all(deployment, filled()).await.says(&["is sent"]);
    early.fill_all(deployment, filled()).await.says(&["open application for this panel already", "number 1"]);
    pressed(deployment, &members[12].chat, &button).await.says(&["You have applied for **Team** already"]);
    api.patch(&of(deployment, &panel, ""), json!({ "open": false })).await.ok();
    late.fill_all(deployment, filled()).await.says(&["takes no applications at the moment"]);
    pressed(deployment, &members[13].chat, &button).await.says(&["takes no applications at the moment"]);
    typed(deployment, &members[13].chat, "apply", json!({})).await.says(&["nothing to apply for"]);
    assert_eq!(submissions(deployment).await.len(), 1);
}

async fn several_panels_are_shown_as_buttons(deployment: &Deployment) {
    let member = &deployment.guild().members[12].chat;
    panel(deployment, "Builders", json!([])).await;
    panel(deployment, "Moderators", questions()).await;
    let list = typed(deployment, member, "apply", json!({})).await;
    list.says(&["What do you apply for?"]);
    let asked = list.press(deployment, "Builders").await;
    // Without questions there is no form.
    asked.says(&["Apply for Builders?"]);
    asked.press(deployment, "Send application").await.says(&["Your application for **Builders** is sent"]);
    let list = typed(deployment, member, "apply", json!({})).await;
    let form = list.press(deployment, "Moderators").await;
    form.fill_all(deployment, filled()).await.says(&["Your application for **Moderators** is sent"]);
    assert_eq!(submissions(deployment).await.len(), 2);
}

async fn a_button_of_a_removed_panel_says_so(deployment: &Deployment) {
    let (api, member) = (deployment.api(), &deployment.guild().members[12].chat);
    let first = panel(deployment, "Team", questions()).await;
    let button = posted(deployment, &first).await;
    api.delete(&of(deployment, &first, "")).await.ok();
    pressed(deployment, member, &button).await.says(&["was removed"]);
    for made_up in ["apply:x", "apply:", "apply:send:", "apply:99:5", "apply:send:1"] {
        let answer = forged(deployment, member, made_up).await;
        let text = answer["data"]["content"].as_str().unwrap();
        assert!(text.contains("out of date") || text.contains("was removed"), "{made_up}: {answer}");
    }
}

async fn questions_that_changed_meanwhile_are_named(deployment: &Deployment) {
    let (api, member) = (deployment.api(), &deployment.guild().members[12].chat);
    let panel = panel(deployment, "Team", questions()).await;
    let button = posted(deployment, &panel).await;
    let form = pressed(deployment, member, &button).await;
    let other = json!({ "questions": [{ "label": "Age", "kind": "text" }] });
    api.patch(&of(deployment, &panel, ""), other).await.ok();
    form.fill_all(deployment, filled()).await.says(&["\"Age\" needs an answer"]);
    assert_eq!(submissions(deployment).await, [Value::Null; 0]);
}

async fn more_than_the_form_takes_leads_to_the_page(deployment: &Deployment) {
    let (guild, member) = (&deployment.guild().id, &deployment.guild().members[12].chat);
    let many: Vec<_> = (1..=6).map(|n| json!({ "label": n.to_string(), "kind": "text" })).collect();
    let long = panel(deployment, "Long", many.into()).await;
    let button = posted(deployment, &long).await;
    let page = format!("https://console.example/apply/{guild}");
    let answer = pressed(deployment, member, &button).await;
    answer.says(&["asks more than a form here shows"]);
    let open = &answer.state["components"][0]["components"][0];
    assert_eq!(open["url"], format!("{page}/{}", long["panel_id"]), "{}", answer.state);
    // Without questions there is no form; how it stands is on the page.
    let short = panel(deployment, "Short", json!([])).await;
    let asked = typed(deployment, member, "apply", json!({})).await.press(deployment, "Short").await;
    let sent = asked.press(deployment, "Send application").await;
    let stands = &sent.state["components"][0]["components"][0]["url"];
    assert_eq!(*stands, format!("{page}/{}", short["panel_id"]));
    for n in 1..=4 {
        panel(deployment, &format!("Panel {n}"), json!([])).await;
    }
    let list = typed(deployment, member, "apply", json!({})).await;
    list.says(&["The page shows all of it."]);
    let buttons = list.state["components"][0]["components"].as_array().unwrap().clone();
    assert_eq!((buttons.len(), &buttons[4]["url"]), (5, &json!(page)), "{buttons:?}");
}
