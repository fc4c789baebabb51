//! /console/guilds/:guild/applications: panels, submissions, and tickets that open or fail.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Deployment, eventually, in_turn};

use super::security::set_permissions;
use testkit::console::Console;

in_turn!(
    empty_lists_say_where_applications_come_from,
    a_panel_is_added_changed_and_removed,
    what_is_wrong_with_a_panel_stands_at_its_field,
    applications_are_shown_by_panel,
    a_ticket_that_fails_says_why_and_opens_later,
    staff_who_handle_tickets_add_no_panel,
    an_application_is_discussed_and_accepted,
    an_application_is_refused_with_a_word
);

const WITHIN: Duration = Duration::from_secs(30);

fn applications(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/applications", deployment.guild().id)
}

/// The bot adds a panel of this number and a submission of the same number for it.
async fn sent(deployment: &Deployment, number: i64, panel: &str) {
    let (guild, api) = (deployment.guild(), deployment.api());
    let path = |rest: &str| format!("/guilds/{}/application-{rest}", guild.id);
    api.post(&path("panels"), json!({ "panel_id": number, "name": panel })).await.ok();
    let submission = json!({ "panel_id": number, "submission_id": number, "chat_id": guild.members[5].chat,
                             "answers": { "Why?": "<i>order</i>", "Age": 20 } });
    api.post(&path("submissions"), submission).await.ok();
}

async fn empty_lists_say_where_applications_come_from(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let empty = owner.get(&applications(deployment)).await;
    empty.shows(200, "There are no applications yet. People apply with the button of a panel");
    empty.shows(200, "There is no panel yet. An admin adds one");
    owner.get(&format!("{}/4711", applications(deployment))).await.shows(404, "There is no such page");
    owner.get(&format!("{}/panels/4711", applications(deployment))).await.shows(404, "There is no such page");
}

/// The category of a ticket, as the server has it.
async fn category(deployment: &Deployment) -> String {
    let url = format!("{}/guilds/{}/channels", deployment.simulator.base, deployment.guild().id);
    let request = testkit::http_client().post(url).header("authorization", "Bot test-token");
    let body = json!({ "name": "tickets", "type": 4 });
    let made: Value = request.json(&body).send().await.unwrap().json().await.unwrap();
    made["id"].as_str().unwrap().to_owned()
}

async fn panels(deployment: &Deployment) -> Value {
    let path = format!("/guilds/{}/application-panels", deployment.guild().id);
    deployment.api().get(&path).await.ok()["panels"].clone()
}

const QUESTIONS: [(&str, &str); 6] = [
    ("question_1_label", "Why?"),
    ("question_1_kind", "paragraph"),
    ("question_3_label", "Team"),
    ("question_3_kind", "choice"),
    ("question_3_options", "Red\r\n\r\nBlue\r\n"),
    ("question_4_kind", "agree"),
];

async fn a_panel_is_added_changed_and_removed(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let category = category(deployment).await;
    let new = owner.get(&owner.get(&applications(deployment)).await.link("Add panel")).await;
    let mut own = vec![("name", "Moderator team"), ("category_id", category.as_str())];
    own.extend([("staff_role_ids", guild.roles[3].as_str()), ("accept_role_id", &guild.roles[0])]);
    own.extend(QUESTIONS);
    let added = owner.press(&new, "Add panel", &own).await;
    added.shows(200, "Panel Moderator team added.").has_typed("question_1_label", "Why?");
    let list = owner.get(&applications(deployment)).await;
    let row = list.row("Moderator team");
    for part in ["open", "2 questions", "Moderator", "tickets"] {
        assert!(row.contains(part), "{part}: {row}");
    }
    let panel = panels(deployment).await[0].clone();
    assert_eq!(panel["staff_role_ids"], json!([guild.roles[3]]), "{panel}");
    assert_eq!((&panel["accept_role_id"], &panel["category_id"]), (&json!(guild.roles[0]), &json!(category)));
    let questions = json!([
        { "label": "Why?", "kind": "paragraph", "options": [], "required": true },
        { "label": "Team", "kind": "choice", "options": ["Red", "Blue"], "required": true },
    ]);
    assert_eq!(panel["questions"], questions);

    let edit = owner.get(&list.link("Edit")).await;
    edit.has_typed("category_id", &category).has_typed("question_2_label", "Team");
    let change =
        [("question_2_label", ""), ("question_2_options", ""), ("category_id", ""), ("accept_role_id", "")];
    let saved = owner.press(&edit, "Save panel", &change).await;
    saved.shows(200, "Panel Moderator team saved.");
    let panel = panels(deployment).await[0].clone();
    assert_eq!(
        (panel["questions"].as_array().unwrap().len(), &panel["category_id"]),
        (1, &Value::Null),
        "{panel}"
    );
    assert_eq!((&panel["accept_role_id"], &panel["open"]), (&Value::Null, &json!(true)));

    let posted = owner.press(&saved, "Post panel", &[("channel_id", &guild.id)]).await;
    posted.shows(200, "is posted: people apply with its button.");
    let messages = json!(deployment.simulator.messages_in(&guild.id).await).to_string();
    assert!(messages.contains("Press the button to apply."), "{messages}");
    saved.shows(200, "Nobody can apply any more");
    let removed = owner.press(&posted, "Remove Moderator team", &[]).await;
    removed.shows(200, "Panel Moderator team removed.").shows(200, "There is no panel yet.");
    owner.get(&edit.path()).await.shows(404, "There is no such page");
}

async fn what_is_wrong_with_a_panel_stands_at_its_field(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&format!("{}/panels/new", applications(deployment))).await;
    let unnamed = owner.press(&page, "Add panel", &[("question_1_label", "Why?")]).await;
    unnamed.refuses("name", "", "Enter what people apply for.").keeps("question_1_label", "Why?");
    let long = "x".repeat(101);
    owner.press(&unnamed, "Add panel", &[("name", &long)]).await.refuses("name", &long, "Enter a text");
    let one_option = [
        ("name", "Builders"),
        ("question_2_label", "Team"),
        ("question_2_kind", "choice"),
        ("question_2_options", "Red"),
    ];
    let wrong = owner.press(&page, "Add panel", &one_option).await;
    wrong
        .shows(422, "Enter 2 to 25 different options")
        .keeps("question_2_options", "Red")
        .keeps("name", "Builders");
    let twice = [("name", "Builders"), ("question_1_label", "a"), ("question_5_label", "a")];
    owner.press(&page, "Add panel", &twice).await.shows(422, "different from the other questions");
    let path = format!("{}/panels", applications(deployment));
    let role = [("name", "Builders"), ("staff_role_ids", "4242")];
    let unknown = owner.post(&path, &role).await;
    unknown.shows(422, "4242 is no staff role of this server").keeps("name", "Builders");
    assert_eq!(panels(deployment).await, json!([]));
    let added = owner.press(&page, "Add panel", &[("name", "Builders")]).await;
    let address = added.path();
    owner.post(&format!("{address}/publish"), &[]).await.shows(422, "Choose a channel.");
    let elsewhere = [("channel_id", deployment.other_guild().id.as_str())];
    owner.post(&format!("{address}/publish"), &elsewhere).await.shows(422, "no text channel with this id");
}

async fn applications_are_shown_by_panel(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    sent(deployment, 7, "Builders").await;
    sent(deployment, 8, "Moderators").await;
    deployment
        .api()
        .post(&format!("/guilds/{}/application-panels", guild.id), json!({ "name": "Nobody" }))
        .await
        .ok();
    let all = owner.get(&applications(deployment)).await;
    let row = all.row("Application 7");
    assert!(
        row.contains("Builders") && row.contains(&guild.members[5].name) && row.ends_with("open no ticket"),
        "{row}"
    );
    all.shows(200, "Application 8");
    let builders = owner.press(&all, "Show", &[("panel", "7")]).await;
    builders.shows(200, "Application 7").has_typed("panel", "7");
    assert!(!builders.contains("Application 8"), "{}", builders.text());
    let nobody = owner.press(&builders, "Show", &[("panel", "9")]).await;
    nobody.shows(200, "No application matches.");
    let applicant = &guild.members[5];
    for (filter, found) in [
        ("state=open", true),
        ("state=accepted", false),
        ("ticket=none", true),
        ("ticket=open", false),
        (&format!("applicant={}", applicant.name), true),
    ] {
        let shown = owner.get(&format!("{}?{filter}", applications(deployment))).await;
        assert_eq!(shown.shows(200, "Panels").contains("Application 7"), found, "{filter}");
    }
    let wrong = owner.get(&format!("{}?applicant=nobody", applications(deployment))).await;
    wrong.refuses("applicant", "nobody", "No linked member is named");
    let one = owner.get(&all.link("Application 7")).await;
    one.shows(200, "<i>order</i>").shows(200, "Age 20").shows(200, "no ticket");
}

async fn a_ticket_that_fails_says_why_and_opens_later(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    sent(deployment, 7, "Builders").await;
    let one = owner.get(&format!("{}/7", applications(deployment))).await;
    let route = "POST /guilds/:guild/channels";
    deployment.fault(json!({ "route": route, "status": 403, "count": 1 })).await;
    let failed = owner.press(&one, "Create ticket", &[]).await;
    assert_eq!(failed.status, 422, "{}", failed.text());
    failed.shows(422, "Missing Permissions").shows(422, "<i>order</i>").shows(422, "ticket not open yet");
    let title = format!("Ticket for {}", deployment.guild().members[5].name);
    owner.get(&failed.link("Job that opens it")).await.shows(200, "failed").shows(200, &title);
    let opened = owner.press(&failed, "Create ticket", &[]).await;
    opened.shows(200, "Ticket opened.").shows(200, "ticket open");
    let channel = opened.link("Open ticket in Discord");
    let expected = format!("https://discord.com/channels/{}/", deployment.guild().id);
    assert!(channel.starts_with(&expected), "{channel}");
    let list = owner.get(&applications(deployment)).await;
    assert_eq!(list.link("Open in Discord"), channel);
    let late = owner.press(&one, "Create ticket", &[]).await;
    assert_eq!(late.link("Open ticket in Discord"), channel, "a second press opens no second channel");
}

async fn staff_who_handle_tickets_add_no_panel(deployment: &Deployment) {
    let guild = deployment.guild();
    sent(deployment, 7, "Builders").await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    staff.get(&applications(deployment)).await.shows(404, "There is no such page");
    set_permissions(deployment, &["tickets.write"]).await;
    let list = staff.get(&applications(deployment)).await;
    assert!(!list.shows(200, "Builders").contains("Add panel"), "{}", list.text());
    let added = staff.post(&format!("{}/panels", applications(deployment)), &[("name", "x")]).await;
    added.shows(404, "There is no such page");
    let one = staff.get(&list.link("Application 7")).await;
    let opened = staff.press(&one, "Create ticket", &[]).await;
    // They may not see jobs.
    assert_eq!(opened.path(), one.path());
    assert!(!opened.shows(200, "Open ticket in Discord").contains("Job that opens it"), "{}", opened.text());
    assert_eq!(deployment.audit("ticket.create").await[0]["actor_id"], json!(guild.members[1].chat));
}

/// Open applications wait on the first page of staff who handle them.
async fn waiting(deployment: &Deployment, console: &Console) -> bool {
    let overview = console.get(&format!("/console/guilds/{}", deployment.guild().id)).await;
    overview.shows(200, "Needs you").contains("1 application to decide")
}

async fn an_application_is_discussed_and_accepted(deployment: &Deployment) {
    let guild = deployment.guild();
    let member = guild.members.iter().skip(6).find(|member| member.held.is_empty()).unwrap();
    let (owner, api) = (Console::owner(deployment).await, deployment.api());
    let path = |rest: &str| format!("/guilds/{}/application-{rest}", guild.id);
    let panel = json!({ "panel_id": 7, "name": "Builders", "accept_role_id": guild.roles[0],
                        "questions": [{ "label": "Why?", "kind": "text" }, { "label": "Rules", "kind": "agree" }] });
    api.post(&path("panels"), panel).await.ok();
    let sent =
        json!({ "panel_id": 7, "chat_id": member.chat, "answers": { "Why?": "order", "Rules": true } });
    api.post(&path("submissions"), sent).await.ok();
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    set_permissions(deployment, &[]).await;
    assert!(waiting(deployment, &owner).await && !waiting(deployment, &staff).await);
    set_permissions(deployment, &["tickets.write"]).await;
    assert!(waiting(deployment, &staff).await);
    let one = staff.get(&format!("{}/1", applications(deployment))).await;
    one.shows(200, "Why? order").shows(200, "Rules Yes").shows(200, "Nobody has said anything yet.");
    let empty = staff.press(&one, "Add comment", &[]).await;
    empty.refuses("text", "", "Enter a text of 1 to 1,000 characters");
    let said = staff.press(&one, "Add comment", &[("text", "<b>Known</b> from events")]).await;
    said.shows(200, "Comment added.").shows(200, "<b>Known</b> from events").shows(200, "By ");
    let accepted = staff.press(&said, "Accept application", &[("reason", "Welcome!")]).await;
    accepted.shows(200, "Application accepted.").shows(200, "accepted by").shows(200, "Welcome!");
    assert!(!accepted.contains("Refuse application"), "{}", accepted.text());
    eventually("the role is there", WITHIN, async || {
        let found = deployment.simulator.member(guild, &member.chat).await;
        (found["roles"] == json!([guild.roles[0]])).then_some(())
    })
    .await;
    assert!(!waiting(deployment, &owner).await);
    let late = staff.press(&said, "Refuse", &[("reason", "no")]).await;
    late.shows(422, "already accepted");
}

async fn an_application_is_refused_with_a_word(deployment: &Deployment) {
    let guild = deployment.guild();
    sent(deployment, 7, "Builders").await;
    let api = deployment.api();
    let own = json!({ "panel_id": 7, "submission_id": 8, "chat_id": guild.members[1].chat });
    api.post(&format!("/guilds/{}/application-submissions", guild.id), own).await.ok();
    set_permissions(deployment, &["tickets.write"]).await;
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    let one = staff.get(&format!("{}/7", applications(deployment))).await;
    let button = format!("Refuse {}", guild.members[5].name);
    let wordless = staff.press(&one, &button, &[]).await;
    wordless.refuses("reason", "", "Say why");
    let refused = staff.press(&wordless, &button, &[("reason", "<i>Too young</i>")]).await;
    refused.shows(200, "Application refused.").shows(200, "refused by").shows(200, "<i>Too young</i>");
    // Nobody decides about themselves.
    let mine = staff.get(&format!("{}/8", applications(deployment))).await;
    mine.shows(200, "This is your own application: other staff decide it.");
    assert!(!mine.contains("Accept application") && !mine.contains("Add comment"), "{}", mine.text());
    for (form, field) in [("accept", "reason"), ("refuse", "reason"), ("comments", "text")] {
        let forged = staff.post(&format!("{}/8/{form}", applications(deployment)), &[(field, "x")]).await;
        forged.shows(403, "only an admin of the server decides it");
    }
}
