//! `/interactions/sync/all`: the bulk sync (docs/rules.md 5).

use serde_json::{Value, json};

use testkit::{Deployment, both_modes, eventually};

both_modes!(
    a_sync_corrects_every_member_and_a_second_one_changes_none(own),
    a_dry_run_reports_the_changes_without_making_them,
    too_many_removals_stop_a_sync_before_its_first_change,
    a_running_sync_can_be_cancelled(|setup| setup.members(300).latency_ms(200)),
    failed_members_are_listed_and_the_others_changed,
    missing_permissions_stop_a_sync_after_three_refusals(|setup| setup.members(60)),
);

const PATH: &str = "/interactions/sync/all";

/// Starts a bulk sync of the first guild and returns its job.
async fn start(deployment: &Deployment, options: Value) -> String {
    let mut body = json!({ "guild_id": deployment.guild().id });
    body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    let data = deployment.api().post(PATH, body).await.ok();
    assert_eq!(data["queued"], true, "{data}");
    assert_eq!(data["members"], deployment.guild().members.len(), "{data}");
    data["job_id"].as_str().unwrap().to_owned()
}

async fn a_sync_corrects_every_member_and_a_second_one_changes_none(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let changes = guild.changes();
    let job = start(deployment, json!({})).await;
    let ended = deployment.job_ended(&job).await;
    assert_eq!(
        (&ended["id"], &ended["kind"], &ended["state"]),
        (&json!(job), &json!("sync_all"), &json!("succeeded"))
    );
    let progress = &ended["progress"];
    assert_eq!(
        (&progress["done"], &progress["total"], &progress["failed"]),
        (&json!(30), &json!(30), &json!(0)),
        "{ended}"
    );
    assert_eq!(deployment.simulator.wrong(guild).await, 0);
    assert_eq!(deployment.simulator.wrong(other).await, other.changes());
    let stats = deployment.simulator.stats().await;
    assert_eq!((&stats["member_updates"], &stats["page_calls"]), (&json!(changes), &json!(1)), "{stats}");

    // A second sync changes no member.
    deployment.forget_quotas().await;
    let ended = deployment.job_ended(&start(deployment, json!({})).await).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert_eq!(deployment.member_updates().await, changes as u64);
}

async fn a_dry_run_reports_the_changes_without_making_them(deployment: &Deployment) {
    let guild = deployment.guild();
    let job = start(deployment, json!({ "dry_run": true })).await;
    let ended = deployment.job_ended(&job).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert_eq!(deployment.member_updates().await, 0);
    assert_eq!(deployment.simulator.wrong(guild).await, guild.changes());
    let counts = ended["result"].to_string();
    assert!(counts.contains(&guild.changes().to_string()), "{counts}");
}

async fn too_many_removals_stop_a_sync_before_its_first_change(deployment: &Deployment) {
    let guild = deployment.guild();
    let removals = guild.members.iter().filter(|member| member.held.len() == 2).count();
    let job = start(deployment, json!({ "max_removals": removals - 1 })).await;
    let ended = deployment.job_ended(&job).await;
    assert_eq!(ended["state"], "failed", "{ended}");
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains(&removals.to_string()), "{message}");
    assert_eq!(deployment.member_updates().await, 0);
    // With a limit equal to the removals it runs.
    let body = json!({ "max_removals": removals });
    let data = deployment.api().key(&deployment.other_guild().admin_key).post(PATH, body).await.ok();
    let ended =
        deployment.job_of(&deployment.other_guild().admin_key, data["job_id"].as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert_eq!(deployment.simulator.wrong(deployment.other_guild()).await, 0);
}

async fn a_running_sync_can_be_cancelled(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let job = start(deployment, json!({})).await;
    eventually("members are being changed", std::time::Duration::from_secs(20), async || {
        (deployment.member_updates().await >= 5).then_some(())
    })
    .await;
    api.delete(&format!("/jobs/{job}")).await.ok();
    let ended = deployment.job_ended(&job).await;
    assert_eq!(ended["state"], "cancelled", "{ended}");
    let changed = deployment.member_updates().await;
    assert!(changed < guild.changes() as u64, "{changed} of {}", guild.changes());
    // Changes made before the cancellation stay, and no more follow during the next job.
    api.post("/interactions/sync", json!({ "user_id": guild.right().chat })).await.ok();
    assert_eq!(deployment.member_updates().await, changed);
    assert_eq!(deployment.simulator.wrong(guild).await, guild.changes() - usize::try_from(changed).unwrap());
    api.delete(&format!("/jobs/{job}")).await.refused(409, &[]);
}

async fn failed_members_are_listed_and_the_others_changed(deployment: &Deployment) {
    let (api, guild, simulator) = (deployment.api(), deployment.guild(), &deployment.simulator);
    let route = "PATCH /guilds/:guild/members/:user";
    deployment.fault(json!({ "route": route, "status": 400, "count": 3 })).await;
    let job = start(deployment, json!({})).await;
    let ended = deployment.job_ended(&job).await;
    let progress = &ended["progress"];
    assert_eq!(
        (&progress["done"], &progress["total"], &progress["failed"]),
        (&json!(30), &json!(30), &json!(3)),
        "{ended}"
    );
    assert_eq!(deployment.member_updates().await, guild.changes() as u64 - 3);
    let mut listed = Vec::new();
    let mut path = format!("/jobs/{job}?limit=2");
    loop {
        let page = api.get(&path).await.ok();
        let failures = page["failures"].as_array().unwrap().clone();
        assert!((1..=2).contains(&failures.len()), "{page}");
        listed.extend(failures);
        if page["next_cursor"].is_null() {
            break;
        }
        path = format!("/jobs/{job}?limit=2&cursor={}", page["next_cursor"].to_string().replace('"', ""));
    }
    assert_eq!(listed.len(), 3, "{listed:?}");
    for failure in listed {
        assert!(failure["message"].is_string() && failure["error"].is_string(), "{failure}");
        let member = guild.members.iter().find(|member| failure["chat_id"] == member.chat.as_str()).unwrap();
        assert!(!simulator.is_right(guild, member).await, "{failure}");
    }
    assert_eq!(simulator.wrong(guild).await, 3);
}

async fn missing_permissions_stop_a_sync_after_three_refusals(deployment: &Deployment) {
    let routes = ["PUT", "DELETE"].map(|verb| format!("{verb} /guilds/:guild/members/:user/roles/:role"));
    for route in &routes {
        deployment.fault(json!({ "route": route, "status": 403, "count": 1000 })).await;
    }
    let job = start(deployment, json!({})).await;
    let ended = deployment.job_ended(&job).await;
    assert_eq!(ended["state"], "failed", "{ended}");
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("permission"), "{ended}");
    assert!(deployment.guild().roles.iter().any(|role| message.contains(role)), "it names no role: {ended}");
    let stats = deployment.simulator.stats().await;
    let refused = routes.iter().map(|route| stats["requests"][route]["403"].as_u64().unwrap_or(0));
    assert_eq!(refused.sum::<u64>(), 3, "{stats}");
    // With the permissions granted, the next sync makes the changes.
    deployment.clear_faults().await;
    deployment.forget_quotas().await;
    let ended = deployment.job_ended(&start(deployment, json!({})).await).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert_eq!(deployment.simulator.wrong(deployment.guild()).await, 0);
}
