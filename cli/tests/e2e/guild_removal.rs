//! `guildhall guilds remove`: nothing of the guild is left, and nothing else changes.

use std::time::Duration;

use serde_json::json;

use testkit::{Deployment, FELT, both_modes, eventually, run_on_terminal};

use crate::moderation::Moderating;

both_modes!(
    a_removed_guild_leaves_nothing_and_others_untouched(own),
    the_jobs_of_a_removed_guild_stop(|setup| setup.sizes(&[300, 5]).latency_ms(200)),
    a_removal_is_confirmed_by_the_name(own),
    a_removal_that_was_stopped_goes_on(own),
    heartbeats_during_a_removal_leave_those_of_other_guilds(own),
);

const LONG: Duration = Duration::from_secs(30);

/// Objects in many tables.
async fn fill(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let chat = guild.members[0].chat.as_str();
    deployment.ban("555", json!({})).await;
    deployment.ban(&guild.members[3].chat, json!({ "duration_seconds": 900 })).await;
    for args in [
        &["shield", "flag", "98765", "--reason", "r", "--by", chat][..],
        &["panels", "add", "--id", "1", "--name", "Mod"],
        &["submissions", "add", "--panel", "1", "--applicant", chat],
        &["jobs", "pause"],
        &["jobs", "resume"],
    ] {
        deployment.command(&[args, &["--guild", &guild.id]].concat()).await.succeeded();
    }
    let ticket = format!("/guilds/{}/application-submissions/1/create-ticket", guild.id);
    api.header("idempotency-key", "k").post(&ticket, json!({ "panel_id": 1 })).await.ok();
    let sync = api.post("/interactions/sync/all", json!({ "guild_id": guild.id })).await.ok();
    deployment.job_ended(sync["job_id"].as_str().unwrap()).await;
}

async fn a_removed_guild_leaves_nothing_and_others_untouched(deployment: &Deployment) {
    fill(deployment).await;
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let others = deployment.rows(Some(&guild.id)).await;
    let said = deployment.command(&["guilds", "remove", &guild.id, "--yes"]).await.succeeded();
    assert!(said.contains(&guild.id) && said.contains("Guild 0"), "{said}");
    tokio::time::sleep(FELT).await;
    for key in [&guild.game_key, &guild.admin_key] {
        deployment.api().key(key).get("/bindings/list").await.refused(401, &[]);
    }
    deployment.api().key(&other.admin_key).get("/bindings/list").await.ok();
    let rows = deployment.rows(None).await;
    for (table, left) in &rows {
        assert!(left.iter().all(|row| !row.contains(&format!("guild_id {}", guild.id))), "{table}: {left:?}");
        // Shield flags lose their guild.
        if table != "shield_flag" && table != "seaql_migrations" {
            assert_eq!(left, &others[table], "{table}");
        }
    }
    let listed = deployment.command(&["shield", "list", "--json"]).await.succeeded();
    assert!(listed.contains("98765"), "a flag of all guilds: {listed}");
    let again = deployment.command(&["guilds", "remove", &guild.id, "--yes"]).await.refused();
    assert!(again.contains("is not known"), "{again}");
    // The same guild can be added again, without its old data.
    deployment.command(&["guilds", "add", &guild.id, "--name", "new"]).await.succeeded();
    let key = deployment.new_key("read,moderation").await;
    let status = deployment.api().key(&key).get(&deployment.moderation("ban-status/555")).await.ok();
    assert_eq!(status["banned"], false, "{status}");
}

async fn the_jobs_of_a_removed_guild_stop(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    deployment.begin_sync_all(guild).await;
    eventually("the sync writes", LONG, async || {
        (deployment.simulator.updates_of(guild).await >= 3).then_some(())
    })
    .await;
    deployment.command(&["guilds", "remove", &guild.id, "--yes"]).await.succeeded();
    tokio::time::sleep(FELT).await;
    let written = deployment.simulator.updates_of(guild).await;
    tokio::time::sleep(FELT).await;
    assert_eq!(deployment.simulator.updates_of(guild).await, written, "a job went on");
    assert!(written < 300, "the sync was over");
    let job = deployment.begin_sync_all(other).await;
    assert_eq!(deployment.job_of(&other.admin_key, &job).await["state"], "succeeded", "the workers go on");
}

async fn a_removal_is_confirmed_by_the_name(deployment: &Deployment) {
    let guild = deployment.guild();
    let args = ["guilds", "remove", &guild.id];
    let refused = deployment.command(&args).await.refused();
    assert!(
        refused.contains("--yes") && refused.contains("Guild 0") && refused.contains("30 links"),
        "{refused}"
    );
    let typed = |name: &str| run_on_terminal(&args, &deployment.env, deployment.folder(), name);
    let wrong = typed("Guild 1\n");
    assert!(wrong.code == Some(1) && wrong.stdout.contains("not the guild's name"), "{wrong:?}");
    deployment.api().get("/bindings/list").await.ok();
    let right = typed("Guild 0\n");
    assert!(right.code == Some(0) && right.stdout.contains("removed guild"), "{right:?}");
    let left = deployment.command(&["guilds", "list"]).await.succeeded();
    assert!(!left.contains(&guild.id), "{left}");
}

async fn a_removal_that_was_stopped_goes_on(deployment: &Deployment) {
    fill(deployment).await;
    let guild = deployment.guild();
    // As after its first transaction, and some rows.
    let sql = format!("UPDATE guild SET removing_since = created_at WHERE guild_id = {}", guild.id);
    deployment.execute(&sql).await;
    deployment.execute(&format!("DELETE FROM link WHERE guild_id = {}", guild.id)).await;
    let listed = deployment.command(&["guilds", "list", "--json"]).await.succeeded();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let marked: Vec<_> =
        listed.as_array().unwrap().iter().map(|row| row["removing_since"].is_string()).collect();
    assert_eq!(marked, [true, false], "{listed}");
    let refused = deployment.command(&["guilds", "add", &guild.id, "--name", "new"]).await.refused();
    assert!(refused.contains("is being removed"), "{refused}");
    let refused = deployment.command(&["keys", "list", "--guild", &guild.id]).await.refused();
    assert!(refused.contains("is not known"), "{refused}");
    // It does not ask a second time.
    deployment.command(&["guilds", "remove", &guild.id]).await.succeeded();
    let rows = deployment.rows(None).await;
    let left = rows.values().flatten().filter(|row| row.contains(&format!("guild_id {}", guild.id))).count();
    assert_eq!(left, 0);
}

async fn heartbeats_during_a_removal_leave_those_of_other_guilds(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let (gone, stays) = (deployment.api().key(&guild.game_key), deployment.api().key(&other.admin_key));
    let body = json!({ "server_id": "s", "place_id": 71, "universe_id": 72, "player_count": 1 });
    for api in [&gone, &stays] {
        api.post("/play/servers/heartbeat", body.clone()).await.ok();
    }
    let until_refused =
        async { while gone.post("/play/servers/heartbeat", body.clone()).await.status == 200 {} };
    let args = ["guilds", "remove", &guild.id, "--yes"];
    let (removed, ()) = tokio::join!(deployment.command(&args), until_refused);
    removed.succeeded();
    let body = json!({ "server_id": "s", "place_id": 71, "universe_id": 72, "player_count": 9 });
    stays.post("/play/servers/heartbeat", body).await.ok();
    let listed = stays.get(&format!("/guilds/{}/servers?live=true", other.id)).await.ok();
    assert_eq!(listed["servers"][0]["player_count"], 9, "{listed}");
    let command = json!({ "type": "announce", "target_id": "all" });
    let queued = stays.post(&format!("/guilds/{}/servers/commands", other.id), command).await.ok();
    assert_eq!(queued["queued"], 1, "{queued}");
}
