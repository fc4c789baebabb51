//! Which syncs are undone, and what becomes of a pass that is under way.

use super::*;

in_turn!(
    what_cannot_be_undone_says_why(own),
    an_undo_ends_the_pass_that_is_under_way(crate::follow::following)
);

async fn an_undo_ends_the_pass_that_is_under_way(deployment: &Deployment) {
    ended(deployment, &Value::Null).await;
    let ((api, path), guild) = (follow(deployment), &deployment.guild().id);
    let runs = api.get(&format!("/guilds/{guild}/jobs?kind=sync_all")).await.ok();
    let run = runs["jobs"][0]["id"].as_str().unwrap().to_owned();
    deployment.command(&["jobs", "pause", "bulk"]).await.succeeded();
    hurry(deployment).await;
    let pass = eventually("a pass waits", FOLLOWS_WITHIN, async || {
        api.get(&path).await.ok()["job_id"].as_str().map(str::to_owned)
    })
    .await;
    let undo = api.post(&format!("/jobs/{run}/undo"), json!({})).await.ok();
    assert_eq!(api.get(&format!("/jobs/{pass}")).await.ok()["state"], "cancelled");
    assert_eq!(deployment.audit("jobs.cancel").await[0]["target_id"], pass);
    deployment.command(&["jobs", "resume", "bulk"]).await.succeeded();
    let undo = deployment.job_ended(undo["id"].as_str().unwrap()).await;
    assert_eq!(undo["result"]["updated"], deployment.guild().changes(), "{undo}");
    let following = api.get(&path).await.ok();
    assert_eq!(following["stopped"], format!("sync {run} was undone"));
    assert!(following["next_at"].is_null() && following["job_id"].is_null(), "{following}");
    assert!(deployment.audit("sync.follow_stopped").await.is_empty());
}

async fn what_cannot_be_undone_says_why(deployment: &Deployment) {
    let api = deployment.api();
    let preview = all(deployment, json!({ "dry_run": true })).await;
    let why = "only a sync of all members that has ended can be undone";
    api.post(&format!("/jobs/{preview}/undo"), json!({})).await.refused(409, &[why]);
    let run = all(deployment, json!({})).await;
    deployment
        .execute("UPDATE job SET finished_at = '2026-01-01T00:00:00+00:00' WHERE kind = 'sync_all'")
        .await;
    api.post(&format!("/jobs/{run}/undo"), json!({})).await.refused(409, &["within an hour of its end"]);
    api.post("/jobs/018f0000-0000-7000-8000-000000000000/undo", json!({})).await.refused(404, &["job"]);
}
