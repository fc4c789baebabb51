//! /console/guilds/:guild/applications: panels, submissions, and tickets that open or fail.

use serde_json::json;
use testkit::{Deployment, in_turn};

use super::security::set_permissions;
use testkit::console::Console;

in_turn!(
    empty_lists_say_where_applications_come_from,
    a_panel_is_added_with_the_staff_who_see_its_tickets,
    what_is_wrong_with_a_panel_stands_at_its_field,
    applications_are_shown_by_panel,
    a_ticket_that_fails_says_why_and_opens_later,
    staff_who_handle_tickets_add_no_panel
);

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
    empty.shows(200, "There are no applications yet. Your bot sends them:");
    empty.shows(200, "There is no panel yet. An admin adds one");
    owner.get(&format!("{}/4711", applications(deployment))).await.shows(404, "There is no such page");
}

async fn a_panel_is_added_with_the_staff_who_see_its_tickets(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let page = owner.get(&applications(deployment)).await;
    let own = [("name", "Moderator team"), ("category_id", "77"), ("staff_role_ids", &guild.roles[3])];
    let added = owner.press(&page, "Add panel", &own).await;
    added.shows(200, "Panel Moderator team added.");
    assert!(added.row("Moderator team").ends_with("Moderator Category 77"), "{}", added.text());
    let all = owner.press(&added, "Add panel", &[("name", "Builders")]).await;
    assert!(all.row("Builders").ends_with("All staff No category"), "{}", all.text());
    let panels = deployment.api().get(&format!("/guilds/{}/application-panels", guild.id)).await.ok();
    assert_eq!(panels["panels"][0]["staff_role_ids"], json!([guild.roles[3]]), "{panels}");
    assert_eq!(panels["panels"][1]["staff_role_ids"], json!(null), "{panels}");
}

async fn what_is_wrong_with_a_panel_stands_at_its_field(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let page = owner.get(&applications(deployment)).await;
    let unnamed = owner.press(&page, "Add panel", &[("category_id", "77")]).await;
    unnamed.refuses("name", "", "Enter what people apply for.").keeps("category_id", "77");
    let long = "x".repeat(101);
    owner.press(&unnamed, "Add panel", &[("name", &long)]).await.refuses("name", &long, "Enter a text");
    let lobby = owner.press(&page, "Add panel", &[("name", "Builders"), ("category_id", "lobby")]).await;
    lobby.refuses("category_id", "lobby", "Enter the id of the category").keeps("name", "Builders");
    let role = [("name", "Builders"), ("staff_role_ids", "4242")];
    let unknown = owner.post(&format!("{}/panels", applications(deployment)), &role).await;
    unknown.shows(422, "4242 is no staff role of this guild").keeps("name", "Builders");
    owner.get(&page.path()).await.shows(200, "There is no panel yet.");
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
        row.contains("Builders") && row.contains(&guild.members[5].name) && row.ends_with("new"),
        "{row}"
    );
    all.shows(200, "Application 8");
    let builders = owner.press(&all, "Show", &[("panel", "7")]).await;
    builders.shows(200, "Application 7").has_typed("panel", "7");
    assert!(!builders.contains("Application 8"), "{}", builders.text());
    let nobody = owner.press(&builders, "Show", &[("panel", "9")]).await;
    nobody.shows(200, "No application matches.");
    let applicant = &guild.members[5];
    for (filter, found) in
        [("state=new", true), ("state=open", false), (&format!("applicant={}", applicant.name), true)]
    {
        let shown = owner.get(&format!("{}?{filter}", applications(deployment))).await;
        assert_eq!(shown.shows(200, "Panels").contains("Application 7"), found, "{filter}");
    }
    let wrong = owner.get(&format!("{}?applicant=nobody", applications(deployment))).await;
    wrong.refuses("applicant", "nobody", "No linked member is named");
    let one = owner.get(&all.link("Application 7")).await;
    one.shows(200, "<i>order</i>").shows(200, "Age 20").shows(200, "new");
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
