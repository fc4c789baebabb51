//! `guildhall console sessions` and `operators`: who is signed in, and the end of sessions and of operators'
//! rights.

use serde_json::{Value, json};
use testkit::{Deployment, in_turn};

use testkit::console::SESSION;
use testkit::console::{Console, link};

in_turn!(
    signing_in_ends_the_session_that_the_browser_had,
    a_sign_in_is_in_the_audit_log_of_the_guild,
    sessions_are_listed_and_ended_by_command,
    an_operator_without_the_right_sees_the_instance_no_more,
);

async fn rows(deployment: &Deployment, args: &[&str]) -> Vec<Value> {
    let args = [&["console"], args, &["--json"]].concat();
    serde_json::from_str(&deployment.command(&args).await.succeeded()).unwrap()
}

async fn signing_in_ends_the_session_that_the_browser_had(deployment: &Deployment) {
    let guild = deployment.guild();
    let console = Console::owner(deployment).await;
    let before = console.cookie(SESSION).unwrap();
    // Another person at the same browser.
    console.sign_in(&link(deployment, &guild.id, &guild.members[1].chat, &[]).await).await;
    console.get("/console/sessions").await.shows(200, "Your sessions");
    let copy = Console::new(deployment);
    copy.set_cookie(SESSION, &before);
    copy.get("/console/sessions").await.asks_to_sign_in();
}

async fn a_sign_in_is_in_the_audit_log_of_the_guild(deployment: &Deployment) {
    let guild = deployment.guild();
    let owner = Console::owner(deployment).await;
    let entry = &deployment.audit("console.sign_in").await[0];
    let chat = &guild.members[0].chat;
    assert_eq!((&entry["actor_id"], &entry["target_id"]), (&json!(chat), &json!(chat)), "{entry}");
    let noted = &entry["metadata"];
    assert_eq!((&noted["by_link"], &noted["operator"]), (&json!(true), &json!(false)), "{entry}");
    let log = owner.get(&format!("/console/guilds/{}/audit?action=console.sign_in", guild.id)).await;
    log.shows(200, &format!("{} signed in to the console", guild.members[0].name));
}

async fn sessions_are_listed_and_ended_by_command(deployment: &Deployment) {
    let guild = deployment.guild();
    let user = &*guild.members[1].chat;
    let (first, second) =
        (Console::of(deployment, guild, user).await, Console::of(deployment, guild, user).await);
    let owner = Console::owner(deployment).await;
    let listed = rows(deployment, &["sessions", "list", "--user", user]).await;
    assert_eq!(listed.len(), 2, "{listed:?}");
    let latest = &listed[0];
    assert_eq!((&latest["guild_id"], &latest["operator"]), (&json!(guild.id), &json!(false)), "{latest}");
    assert!(!listed.iter().any(|row| row.to_string().contains(&second.cookie(SESSION).unwrap())));
    let id = latest["session_id"].as_str().unwrap();
    let ended = deployment.command(&["console", "sessions", "end", id]).await.succeeded();
    assert!(ended.contains(id), "{ended}");
    second.get("/console/sessions").await.asks_to_sign_in();
    first.get("/console/sessions").await.shows(200, "Your sessions");
    assert_eq!(deployment.audit("console.session_ended").await[0]["target_id"], user);
    let again = deployment.command(&["console", "sessions", "end", id]).await.refused();
    assert!(again.contains("there is no live session"), "{again}");
    deployment.command(&["console", "sessions", "end", "--user", user]).await.succeeded();
    first.get("/console/sessions").await.asks_to_sign_in();
    owner.get("/console/sessions").await.shows(200, "Your sessions");
    for which in [&[][..], &["--all", "--operators"]] {
        let args = [&["console", "sessions", "end"], which].concat();
        assert_eq!(deployment.command(&args).await.code, Some(2), "{which:?}");
    }
}

async fn an_operator_without_the_right_sees_the_instance_no_more(deployment: &Deployment) {
    let guild = deployment.guild();
    let user = &*guild.members[0].chat;
    let operator = Console::operator(deployment).await;
    operator.get("/console/instance").await.shows(200, "Instance");
    let is_listed =
        async || rows(deployment, &["operators", "list"]).await.iter().any(|row| row["user_id"] == user);
    assert!(is_listed().await);
    let session = rows(deployment, &["sessions", "list", "--operators", "--user", user]).await;
    assert_eq!(session.len(), 1, "{session:?}");
    let unused = link(deployment, &guild.id, user, &["--operator"]).await;
    deployment.command(&["console", "operators", "remove", user]).await.succeeded();
    assert!(!is_listed().await);
    operator.get("/console/instance").await.shows(404, "There is no such page");
    operator.get(&format!("/console/guilds/{}", guild.id)).await.shows(200, "Overview");
    let late = Console::new(deployment);
    late.sign_in(&unused).await;
    late.get("/console/instance").await.shows(404, "There is no such page");
    assert!(rows(deployment, &["sessions", "list", "--operators", "--user", user]).await.is_empty());
    let again = deployment.command(&["console", "operators", "remove", user]).await.refused();
    assert!(again.contains("is not an operator"), "{again}");
}
