//! /console/guilds/:guild/jobs: the list with its filters, one job, retry and cancel.

use serde_json::{Value, json};
use testkit::{Deployment, both_modes};

use super::instance::enqueue;
use super::security::{set_permissions, sql};
use testkit::console::Console;

both_modes!(
    jobs_are_filtered_by_state_and_kind,
    a_job_that_failed_is_retried_to_its_end,
    a_job_that_gave_up_runs_again_with_its_history,
    failures_of_a_sync_stand_by_reason_with_names,
    a_waiting_job_is_cancelled_once,
    a_job_of_another_right_has_no_buttons
);

fn jobs(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/jobs", deployment.guild().id)
}

/// Jobs of the guild wait until `resume`.
async fn paused(deployment: &Deployment, verb: &str) {
    deployment.command(&["jobs", verb, "--guild", &deployment.guild().id]).await.succeeded();
}

/// Whether the platform has the member who lacks a role.
async fn lacking_is_there(deployment: &Deployment, is_there: bool) {
    let (guild, chat) = (&deployment.guild().id, &deployment.guild().lacking().chat);
    let change = if is_there { ("roles", json!([])) } else { ("remove", json!(true)) };
    let mut body = json!({ "guild_id": guild, "chat_id": chat });
    body[change.0] = change.1;
    deployment.simulator.change_member(body).await;
}

async fn jobs_are_filtered_by_state_and_kind(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let empty = owner.get(&jobs(deployment)).await;
    empty.shows(200, "There are no jobs yet. The first sync or ban makes one.");
    lacking_is_there(deployment, false).await;
    let (fails, succeeds) = (&guild.lacking().chat, &guild.with_extra().chat);
    for (chat, state) in [(fails, "failed"), (succeeds, "succeeded")] {
        assert_eq!(deployment.job_ended(&enqueue(deployment, chat).await).await["state"], state);
    }
    let all = owner.get(&jobs(deployment)).await;
    all.shows(200, &format!("Sync of {}", guild.lacking().name));
    all.shows(200, &format!("Sync of {}", guild.with_extra().name));
    assert_eq!(all.links().iter().filter(|link| link.contains("/jobs/")).count(), 2, "{}", all.text());
    let failed = [("state", "failed"), ("kind", "sync_member")];
    let failed = owner.press(&all, "Show jobs", &failed).await;
    failed.has_typed("state", "failed").has_typed("kind", "sync_member");
    assert_eq!(failed.links().iter().filter(|link| link.contains("/jobs/")).count(), 1, "{}", failed.text());
    let none = owner.press(&failed, "Show jobs", &[("kind", "shield_import")]).await;
    none.shows(200, "No job matches. Finished jobs are kept for 30 days.");
    assert_eq!(none.link("Show all jobs"), jobs(deployment));
    for unknown in ["00000000-0000-7000-8000-000000000000", "x"] {
        let page = owner.get(&format!("{}/{unknown}", jobs(deployment))).await;
        page.shows(404, "There is no such page");
    }
}

async fn a_job_that_failed_is_retried_to_its_end(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    lacking_is_there(deployment, false).await;
    let member = deployment.guild().lacking();
    let id = enqueue(deployment, &member.chat).await;
    deployment.job_ended(&id).await;
    let list = owner.get(&jobs(deployment)).await;
    let failed = owner.get(&list.link("Sync of ")).await;
    failed.shows(200, "failed").shows(200, "not_a_member").shows(200, &id);
    assert!(!failed.contains("Cancel job"), "{}", failed.text());
    lacking_is_there(deployment, true).await;
    owner.press(&failed, "Retry job", &[]).await.shows(200, "The job runs again.");
    deployment.job_ended(&id).await;
    let ended = owner.get(&failed.path()).await;
    ended.shows(200, "succeeded");
    assert!(!ended.contains("Retry job") && !ended.contains("Cancel job"), "{}", ended.text());
    assert_eq!(
        deployment.simulator.member(deployment.guild(), &member.chat).await["roles"],
        json!([member.wanted])
    );
    // The buttons of a page that was open for long.
    let late = owner.press(&failed, "Retry job", &[]).await;
    late.shows(409, "Only a job that failed, is dead or waits").shows(409, "succeeded");
    let retried = deployment.audit("jobs.retry").await;
    assert_eq!((retried.len(), &retried[0]["target_id"]), (1, &json!(id)));
}

async fn a_job_that_gave_up_runs_again_with_its_history(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    owner.get(&jobs(deployment)).await.shows(200, "There are no jobs yet.");
    paused(deployment, "pause").await;
    let id = enqueue(deployment, &guild.lacking().chat).await;
    let last = "UPDATE job SET max_attempts = 1 WHERE guild_id = ? AND finished_at IS NULL";
    assert_eq!(sql(deployment, last, vec![guild.id.parse::<i64>().unwrap().into()]).await, 1);
    deployment.fault(json!({ "route": "*", "status": 500, "count": 1000 })).await;
    paused(deployment, "resume").await;
    assert_eq!(deployment.job_ended(&id).await["state"], "dead");
    deployment.clear_faults().await;
    let list = owner.get(&format!("{}?state=dead", jobs(deployment))).await;
    assert!(list.row("Sync of ").contains("dead"), "{}", list.text());
    let dead = owner.get(&list.link("Sync of ")).await;
    dead.shows(200, "dead").shows(200, "Failed attempts").shows(200, "platform_unavailable");
    owner.press(&dead, "Retry job", &[]).await.shows(200, "The job runs again.");
    assert_eq!(deployment.job_ended(&id).await["state"], "succeeded");
    owner.get(&dead.path()).await.shows(200, "succeeded").shows(200, "Failed attempts");
}

async fn failures_of_a_sync_stand_by_reason_with_names(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    let route = "PATCH /guilds/:guild/members/:user";
    deployment.fault(json!({ "route": route, "status": 400, "count": 3 })).await;
    let id = deployment.begin_sync_all(guild).await;
    let ended = deployment.job_ended(&id).await;
    deployment.clear_faults().await;
    let page = owner.get(&format!("{}/{id}", jobs(deployment))).await;
    page.shows(200, "Failures by reason").shows(200, "30 of 30 done, 3 failed");
    let failures = deployment.api().get(&format!("/jobs/{id}")).await.ok()["failures"].clone();
    assert_eq!(failures.as_array().unwrap().len(), 3, "{ended}");
    let row = page.row("3 members");
    for failure in failures.as_array().unwrap() {
        let member = guild.members.iter().find(|member| failure["chat_id"] == member.chat.as_str()).unwrap();
        assert!(row.contains(&member.name) && row.contains(failure["error"].as_str().unwrap()), "{row}");
        owner.get(&page.link(&member.name)).await.shows(200, &member.chat);
    }
}

async fn a_waiting_job_is_cancelled_once(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    paused(deployment, "pause").await;
    let id = enqueue(deployment, &guild.lacking().chat).await;
    let page = owner.get(&format!("{}/{id}", jobs(deployment))).await;
    page.shows(200, "waits for its turn").shows(200, &guild.members[0].name);
    owner.press(&page, "Cancel job", &[]).await.shows(200, "cancelled");
    let late = owner.press(&page, "Cancel job", &[]).await;
    late.shows(409, "The job has ended already");
    paused(deployment, "resume").await;
    assert_eq!(deployment.job_ended(&id).await["state"], "cancelled");
    assert_eq!(deployment.simulator.updates_of(guild).await, 0);
}

/// A ban on Discord is moderation: the right to see jobs does not suffice to stop it.
async fn a_job_of_another_right_has_no_buttons(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api());
    let staff = Console::of(deployment, guild, &guild.members[1].chat).await;
    set_permissions(deployment, &["sync.write"]).await;
    paused(deployment, "pause").await;
    let ban = json!({ "identifier": guild.members[20].chat, "reason": "r", "moderator_id": "1" });
    api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
    let list = staff.get(&format!("{}?kind=mirror_ban", jobs(deployment))).await;
    let page =
        staff.get(&list.link(&format!("Bans of {}, carried over to Discord", guild.members[20].name))).await;
    page.shows(200, "waits for its turn");
    assert!(!page.contains("Cancel job"), "{}", page.text());
    for verb in ["cancel", "retry"] {
        let sent = staff.post(&format!("{}/{verb}", page.path()), &[]).await;
        sent.shows(404, "There is no such page");
    }
    set_permissions(deployment, &["sync.write", "moderation.write"]).await;
    let page = staff.get(&page.path()).await;
    staff.press(&page, "Cancel job", &[]).await.shows(200, "cancelled");
    paused(deployment, "resume").await;
    let entry: Value = deployment.audit("jobs.cancel").await[0].clone();
    assert_eq!(entry["actor_id"], json!(guild.members[1].chat), "{entry}");
}
