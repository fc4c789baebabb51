//! Members follow their ranks without a command: passes that start by themselves (docs/rules.md 5).

mod turns;
mod undo;

use std::time::Duration;

use crate::binding_types::unbound;
use serde_json::{Value, json};

use testkit::{Api, Deployment, Member, Setup, both_modes, eventually, in_turn};

both_modes!(
    members_follow_their_ranks_by_themselves(crate::follow::following),
    a_pass_that_takes_too_much_waits_for_a_person(crate::follow::following),
    nobody_loses_a_role_because_a_group_has_nobody(crate::follow::following),
    whoever_is_out_of_step_is_listed_until_synced,
    a_sync_is_undone_but_for_what_somebody_changed_since,
    a_sync_of_bindings_that_are_gone_is_undone
);
in_turn!(
    a_quiet_guild_is_left_alone_and_fills_no_list(crate::follow::following),
    a_guild_switches_it_off(crate::follow::following),
    settings_are_checked
);

/// Longer than a look of the scheduler, a plan and its chunks.
const FOLLOWS_WITHIN: Duration = Duration::from_secs(40);

pub(crate) fn following(setup: Setup) -> Setup {
    setup.members(100).env("GUILDHALL_FOLLOW_SHARE", "100")
}

fn follow(deployment: &Deployment) -> (Api, String) {
    (deployment.api().key(&deployment.guild().admin_key), format!("/guilds/{}/follow", deployment.guild().id))
}

async fn all_right(deployment: &Deployment) {
    eventually("every member is right", FOLLOWS_WITHIN, async || {
        (deployment.simulator.wrong(deployment.guild()).await == 0).then_some(())
    })
    .await;
}

/// How the guild follows, once a pass has ended.
async fn ended(deployment: &Deployment, since: &Value) -> Value {
    let (api, path) = follow(deployment);
    eventually("a pass ended", FOLLOWS_WITHIN, async || {
        let now = api.get(&path).await.ok();
        (now["job_id"].is_null() && now["ended_at"] != *since).then_some(now)
    })
    .await
}

/// The next pass starts now.
async fn hurry(deployment: &Deployment) -> Value {
    let (api, path) = follow(deployment);
    let before = api.get(&path).await.ok();
    let other = if before["every_minutes"] == 60 { 61 } else { 60 };
    api.patch(&path, json!({ "every_minutes": other })).await.ok();
    before["ended_at"].clone()
}

async fn set_rank(deployment: &Deployment, member: &Member, rank: i64) {
    let ranks: Vec<i64> = if rank == 0 { Vec::new() } else { vec![rank] };
    let change = json!({ "group_id": deployment.guild().group, "play_id": member.play, "ranks": ranks });
    deployment.simulator.change_member(change).await;
}

async fn members_follow_their_ranks_by_themselves(deployment: &Deployment) {
    all_right(deployment).await;
    let first = ended(deployment, &Value::Null).await;
    assert_eq!(first["changed"], deployment.guild().changes());
    assert!(first["next_at"].is_string() && first["stopped"].is_null(), "{first}");
    let promoted = deployment.guild().right();
    let other = if promoted.rank == 1 { 50 } else { 1 };
    set_rank(deployment, promoted, other).await;
    let since = hurry(deployment).await;
    let second = ended(deployment, &since).await;
    assert_eq!(second["changed"], 1, "{second}");
    let why = deployment.audit("sync.member").await;
    let why = why.iter().find(|entry| entry["target_id"] == promoted.chat).unwrap();
    assert_eq!((&why["metadata"]["cause"], &why["actor_id"]), (&json!("follow"), &json!("0")));
    assert_eq!(why["metadata"]["removed_roles"], json!([promoted.wanted]));
    let group = &deployment.guild().group;
    let ranks = json!([{ "group_id": group, "ranks": [other], "ranks_before": [promoted.rank] }]);
    assert_eq!(why["metadata"]["ranks"], ranks);
    let (api, _) = follow(deployment);
    api.post("/interactions/sync/all", json!({})).await.ok();
}

async fn a_pass_that_takes_too_much_waits_for_a_person(deployment: &Deployment) {
    ended(deployment, &Value::Null).await;
    let (api, path) = follow(deployment);
    api.patch(&path, json!({ "brake_percent": 1 })).await.ok();
    let losing: Vec<&Member> = deployment.guild().members.iter().filter(|member| member.rank > 1).collect();
    assert!(losing.len() > 30, "{}", losing.len());
    for member in &losing[..30] {
        set_rank(deployment, member, 1).await;
    }
    let updates = deployment.member_updates().await;
    let since = hurry(deployment).await;
    let stopped = ended(deployment, &since).await;
    let why = stopped["stopped"].as_str().unwrap();
    assert!(why.contains("30 of") && why.contains("more than 25"), "{why}");
    assert!(stopped["next_at"].is_null());
    assert_eq!(deployment.member_updates().await, updates, "nothing was changed");
    assert_eq!(deployment.audit("sync.follow_stopped").await.len(), 1);
    let going = api.post(&format!("{path}/resume"), json!({})).await.ok();
    assert!(going["stopped"].is_null() && going["next_at"].is_string(), "{going}");
    let after = ended(deployment, &stopped["ended_at"]).await;
    assert_eq!(after["changed"], 30, "{after}");
    api.post(&format!("{path}/resume"), json!({})).await.refused(409, &["no pass stopped"]);
}

async fn nobody_loses_a_role_because_a_group_has_nobody(deployment: &Deployment) {
    ended(deployment, &Value::Null).await;
    for member in &deployment.guild().members {
        set_rank(deployment, member, 0).await;
    }
    let updates = deployment.member_updates().await;
    let since = hurry(deployment).await;
    let stopped = ended(deployment, &since).await;
    assert!(stopped["stopped"].as_str().unwrap().contains("no linked member is in group"), "{stopped}");
    assert_eq!(deployment.member_updates().await, updates, "nothing was changed");
}

async fn a_quiet_guild_is_left_alone_and_fills_no_list(deployment: &Deployment) {
    all_right(deployment).await;
    let first = ended(deployment, &Value::Null).await;
    let updates = deployment.member_updates().await;
    let since = hurry(deployment).await;
    let quiet = ended(deployment, &since).await;
    assert_eq!((&quiet["changed"], deployment.member_updates().await), (&json!(0), updates));
    let (api, _) = follow(deployment);
    let jobs = api.get(&format!("/guilds/{}/jobs?kind=sync_all", deployment.guild().id)).await.ok();
    let jobs = jobs["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 1, "only the pass that changed somebody: {jobs:?}");
    assert_eq!(jobs[0]["result"]["updated"], first["changed"]);
}

async fn a_guild_switches_it_off(deployment: &Deployment) {
    let (api, path) = follow(deployment);
    ended(deployment, &Value::Null).await;
    let off = api.patch(&path, json!({ "every_minutes": 0 })).await.ok();
    assert_eq!((&off["every_minutes"], &off["next_at"]), (&json!(0), &Value::Null));
    let on = api.patch(&path, json!({ "every_minutes": null })).await.ok();
    assert!(on["next_at"].is_string(), "{on}");
    ended(deployment, &on["ended_at"]).await;
}

async fn settings_are_checked(deployment: &Deployment) {
    let (api, path) = follow(deployment);
    let usual = api.get(&path).await.ok();
    assert_eq!((&usual["every_minutes"], &usual["brake_percent"]), (&Value::Null, &json!(10)));
    for (wrong, named) in [
        (json!({ "every_minutes": -1 }), "every_minutes"),
        (json!({ "every_minutes": 10_081 }), "every_minutes"),
        (json!({ "brake_percent": 0 }), "brake_percent"),
        (json!({ "brake_percent": 101 }), "brake_percent"),
        (json!({ "brake": 5 }), "brake"),
        (json!({}), "at least one"),
    ] {
        api.patch(&path, wrong).await.refused(400, &[named]);
    }
    let changed = api.patch(&path, json!({ "every_minutes": 90, "brake_percent": 20 })).await.ok();
    assert_eq!((&changed["every_minutes"], &changed["brake_percent"]), (&json!(90), &json!(20)));
    let entry = &deployment.audit("sync.follow_updated").await[0];
    assert_eq!(entry["metadata"]["after"], json!({ "every_minutes": 90, "brake_percent": 20 }));
    deployment.api().key(&deployment.guild().game_key).get(&path).await.ok();
}

async fn out_of_step(deployment: &Deployment) -> Value {
    deployment.api().get(&format!("/guilds/{}/follow/out-of-step", deployment.guild().id)).await.ok()
}

/// Runs a sync of all members, or a preview of one, to its end.
async fn all(deployment: &Deployment, body: Value) -> String {
    let answer = deployment.api().post("/interactions/sync/all", body).await.ok();
    let job = answer["job_id"].as_str().unwrap().to_owned();
    deployment.job_ended(&job).await;
    job
}

async fn whoever_is_out_of_step_is_listed_until_synced(deployment: &Deployment) {
    let guild = deployment.guild();
    let nobody_looked = json!({ "count": 0, "looked_at": null, "members": [], "next_cursor": null });
    assert_eq!(out_of_step(deployment).await, nobody_looked);
    all(deployment, json!({ "dry_run": true })).await;
    let first = out_of_step(deployment).await;
    assert_eq!(
        (&first["count"], first["members"].as_array().unwrap().len()),
        (&json!(guild.changes()), guild.changes())
    );
    let of = |list: &Value, member: &Member| {
        list["members"].as_array().unwrap().iter().find(|row| row["chat_id"] == member.chat).cloned()
    };
    let lacking = of(&first, guild.lacking()).unwrap();
    assert_eq!((&lacking["add"], &lacking["remove"]), (&json!([guild.lacking().wanted]), &json!([])));
    assert!(lacking["nickname"].is_null() && lacking["refused"].is_null(), "{lacking}");
    assert_eq!(of(&first, guild.misnamed()).unwrap()["nickname"], guild.misnamed().name);
    // By parts, and since the first look.
    let path = format!("/guilds/{}/follow/out-of-step", guild.id);
    let part = deployment.api().get(&format!("{path}?limit=2")).await.ok();
    let rest = part["next_cursor"].as_str().unwrap();
    let rest = deployment.api().get(&format!("{path}?limit=1000&cursor={rest}")).await.ok();
    assert_eq!(rest["members"].as_array().unwrap().len(), guild.changes() - 2);
    all(deployment, json!({ "dry_run": true })).await;
    assert_eq!(of(&out_of_step(deployment).await, guild.lacking()).unwrap(), lacking);
    // One who was right is not, and one who was not is synced.
    let right = guild.right();
    set_rank(deployment, right, if right.rank == 1 { 50 } else { 1 }).await;
    deployment.api().post("/interactions/sync", json!({ "user_id": guild.lacking().chat })).await.ok();
    all(deployment, json!({ "dry_run": true })).await;
    let then = out_of_step(deployment).await;
    assert_eq!(then["count"], guild.changes());
    assert!(of(&then, guild.lacking()).is_none() && of(&then, right).is_some(), "{then}");
    all(deployment, json!({})).await;
    let after = out_of_step(deployment).await;
    assert_eq!((&after["count"], &after["members"]), (&json!(0), &json!([])));
    assert!(after["looked_at"].is_string());
}

/// The job that undid a run, at its end.
async fn undone(deployment: &Deployment, run: &str) -> Value {
    let undo = deployment.api().post(&format!("/jobs/{run}/undo"), json!({})).await.ok();
    assert_eq!(undo["kind"], "undo_sync");
    deployment.job_ended(undo["id"].as_str().unwrap()).await
}

async fn a_sync_is_undone_but_for_what_somebody_changed_since(deployment: &Deployment) {
    let guild = deployment.guild();
    let (api, path) = follow(deployment);
    let wrong = deployment.simulator.wrong(guild).await;
    let run = all(deployment, json!({})).await;
    // Somebody names one of them, and takes from another what the sync gave.
    let (lacking, misnamed) = (guild.lacking(), guild.misnamed());
    let named = json!({ "guild_id": guild.id, "chat_id": misnamed.chat, "nick": "Somebody" });
    deployment.simulator.change_member(named).await;
    let bare = json!({ "guild_id": guild.id, "chat_id": lacking.chat, "roles": [] });
    deployment.simulator.change_member(bare).await;
    // One who is not linked any more keeps what they have.
    let unlinked = guild.with_extra();
    api.delete(&format!("/guilds/{}/links/{}", guild.id, unlinked.chat)).await.ok();
    let job = undone(deployment, &run).await;
    let result = &job["result"];
    assert_eq!(job["state"], "succeeded", "{job}");
    assert_eq!((&result["planned"], &result["failed"]), (&json!(guild.changes()), &json!(0)), "{result}");
    assert_eq!(result["updated"], guild.changes() - 3, "{result}");
    assert_eq!(deployment.simulator.wrong(guild).await, wrong, "as before, but for the other name");
    let entry = &deployment.audit("sync.undone").await[0];
    assert_eq!((&entry["target_id"], &entry["metadata"]["job_id"]), (&json!(run), &job["id"]));
    let of_members = deployment.audit("sync.member").await;
    let put_back = of_members.iter().filter(|entry| entry["metadata"]["cause"] == "undo");
    assert_eq!(put_back.count(), guild.changes() - 3);
    // What was put back is out of step, and no automatic sync does it again.
    assert_eq!(out_of_step(deployment).await["count"], guild.changes() - 3);
    let following = api.get(&path).await.ok();
    assert_eq!(following["stopped"], format!("sync {run} was undone"));
    assert!(following["next_at"].is_null());
    api.post(&format!("{path}/resume"), json!({})).await.ok();
    let again = api.post(&format!("/jobs/{run}/undo"), json!({})).await;
    again.refused(409, &["undoes this sync, or has done it"]);
}

/// Whoever bound a wrong role removes the binding, and then undoes the sync. That no sync takes a role spares nobody from it.
async fn a_sync_of_bindings_that_are_gone_is_undone(deployment: &Deployment) {
    let guild = deployment.guild();
    let wrong = deployment.simulator.wrong(guild).await;
    let run = all(deployment, json!({})).await;
    unbound(deployment).await;
    let settings = format!("/guilds/{}/settings", guild.id);
    deployment
        .api()
        .key(&guild.admin_key)
        .patch(&settings, json!({ "sticky_roles": guild.roles }))
        .await
        .ok();
    assert_eq!(undone(deployment, &run).await["result"]["updated"], guild.changes());
    assert_eq!(deployment.simulator.wrong(guild).await, wrong);
}
