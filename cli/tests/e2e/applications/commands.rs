//! `guildhall panels`, `guildhall submissions`, and both in a seed.

use serde_json::json;

use super::Applying;
use testkit::{Deployment, both_modes};

both_modes!(panels_and_submissions_are_created_by_command_and_seed);

async fn panels_and_submissions_are_created_by_command_and_seed(deployment: &Deployment) {
    let (guild, chat) = (deployment.guild(), &deployment.guild().members[2].chat);
    let mut fixture = deployment.fixture.json();
    fixture["guilds"][0]["panels"] = json!([{ "panel_id": 1, "name": "Staff", "category_id": null }]);
    let submission =
        json!({ "submission_id": 1, "panel_id": 1, "chat_id": chat, "answers": { "why": "because" } });
    fixture["guilds"][0]["submissions"] = json!([submission]);
    std::fs::write(deployment.folder().join("applications.json"), fixture.to_string()).unwrap();
    let said = deployment.command(&["seed", "applications.json"]).await.succeeded();
    assert!(said.contains("1 panel (1 new), 1 submission (1 new)"), "{said}");
    let said = deployment.command(&["seed", "applications.json"]).await.succeeded();
    assert!(said.starts_with("nothing new"), "{said}");

    let added =
        deployment.command(&["panels", "add", "--guild", &guild.id, "--name", "Events"]).await.succeeded();
    assert_eq!(added.trim(), "added panel 2");
    let add = ["submissions", "add", "--guild", &guild.id, "--panel", "2", "--applicant", chat];
    assert_eq!(deployment.command(&add).await.succeeded().trim(), "added submission 2");
    let unknown = ["submissions", "add", "--guild", &guild.id, "--panel", "9", "--applicant", chat];
    assert!(deployment.command(&unknown).await.refused().contains("no panel 9"));
    let ticket = deployment.ticket(1).await.ok();
    let list = deployment.command(&["submissions", "list", "--guild", &guild.id]).await.succeeded();
    assert!(list.contains(ticket["channel_id"].as_str().unwrap()), "{list}");
    let list = deployment.command(&["panels", "list", "--guild", &guild.id]).await.succeeded();
    assert!(list.contains("Staff") && list.contains("Events"), "{list}");
}
