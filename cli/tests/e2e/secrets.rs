//! No secret leaks in a full run: not in a log, a metric, an answer or the record of a job.

use serde_json::json;
use testkit::{Deployment, both_modes};

const CHAT_TOKEN: &str = "planted-chat-token-81f2";
const PLAY_KEY: &str = "planted-play-key-93a7";

both_modes!(no_secret_is_in_logs_metrics_answers_or_jobs(|setup| setup
    .env("GUILDHALL_CHAT_TOKEN", super::CHAT_TOKEN)
    .env("GUILDHALL_PLAY_KEY", super::PLAY_KEY)
    .env("GUILDHALL_ACCESS_LOG", "all")
    .env("RUST_LOG", "debug")));

async fn no_secret_is_in_logs_metrics_answers_or_jobs(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let mut said = Vec::new();
    let member = guild.members.iter().find(|member| member.needs_change()).unwrap();
    let sync = json!({ "guild_id": guild.id, "user_id": member.chat });
    let ban = json!({ "identifier": "77", "reason": "r", "moderator_id": guild.members[0].chat });
    let new_key = deployment.new_key("read").await;
    // What works, what is refused, and what fails because a platform refuses or is away.
    said.push(api.post("/interactions/sync", sync.clone()).await.body.to_string());
    said.push(api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.body.to_string());
    said.push(api.key(&new_key).get(&format!("/guilds/{}/settings", guild.id)).await.body.to_string());
    said.push(api.key(&format!("{new_key}0")).get("/bindings/list").await.body.to_string());
    for status in [401, 500] {
        deployment.fault(json!({ "route": "*", "status": status, "count": 3 })).await;
        said.push(api.post("/interactions/sync", sync.clone()).await.body.to_string());
    }
    for command in [&["keys", "list"][..], &["jobs", "list"], &["doctor"], &["guilds", "list"]] {
        let finished = deployment.command(command).await;
        said.extend([finished.stdout, finished.stderr]);
    }
    let processes = deployment.roles().apis.len();
    for process in 0..processes {
        said.push(deployment.metrics(process).await);
    }
    for entry in std::fs::read_dir(deployment.folder()).unwrap().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "log") {
            said.push(std::fs::read_to_string(entry.path()).unwrap());
        }
    }
    let passwords = deployment.env.iter().filter_map(|(_, value)| password(value));
    for secret in passwords.chain([CHAT_TOKEN, PLAY_KEY, &new_key, &guild.admin_key]) {
        // The public id of a key is no secret.
        let hidden = secret.rsplit('_').next().unwrap();
        for text in &said {
            if let Some(line) = text.lines().find(|line| line.contains(hidden)) {
                panic!("a secret is in: {line}");
            }
        }
    }
}

/// Of a URL.
fn password(value: &str) -> Option<&str> {
    let (user, _) = value.split_once("://")?.1.split_once('@')?;
    Some(user.split_once(':')?.1)
}
