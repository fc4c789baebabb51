//! `/guilds/:guildId/staff/loa` (docs/rules.md 6).

use std::time::Duration;

use serde_json::{Value, json};

use super::{item, now, outsider, path, refuse_each, same_404, theirs};
use testkit::{Deployment, both_modes, eventually, in_turn};

both_modes!(
    a_leave_is_added_changed_and_deleted,
    active_leaves_of_one_person_do_not_overlap,
    past_leaves_are_expired_once,
    a_prolonged_leave_is_active_again,
    the_sweep_closes_past_leaves_and_strikes,
    leaves_of_another_guild_are_unknown,
);

in_turn!(invalid_leaves_are_refused,);

const WITHIN: Duration = Duration::from_secs(30);

fn leave(staff: &str, starts_at: &str, ends_at: &str) -> Value {
    json!({ "staff_id": staff, "starts_at": starts_at, "ends_at": ends_at, "reason": "family" })
}

fn summer(deployment: &Deployment) -> Value {
    leave(&deployment.guild().members[1].chat, "2030-07-01T00:00:00Z", "2030-08-01T00:00:00Z")
}

async fn a_leave_is_added_changed_and_deleted(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let loa = path(deployment, "loa");
    let mut sent = summer(deployment);
    sent["starts_at"] = json!("2030-07-01T02:00:00.75+02:00");
    let id = api.post(&loa, sent).await.ok()["id"].clone();
    assert!(id.is_i64());
    let expected = json!({ "id": id, "staff_id": guild.members[1].chat, "starts_at": "2030-07-01T00:00:00Z",
                           "ends_at": "2030-08-01T00:00:00Z", "reason": "family", "status": "active" });
    assert_eq!(*item(&api.get(&loa).await.ok(), "loas", &id), expected);

    let one = path(deployment, &format!("loa/{id}"));
    let change = json!({ "ends_at": "2030-09-01T00:00:00Z", "reason": "longer" });
    let answer = api.patch(&one, change.clone()).await;
    assert!(answer.message().contains("updated"), "{answer}");
    let after = api.get(&loa).await.ok();
    let after = item(&after, "loas", &id);
    assert_eq!((&after["ends_at"], &after["reason"]), (&json!("2030-09-01T00:00:00Z"), &json!("longer")));
    assert_eq!(after["starts_at"], expected["starts_at"]);
    assert!(api.patch(&one, change).await.message().starts_with("nothing to change"));
    api.patch(&one, json!({ "status": "expired" })).await.ok();
    assert_eq!(item(&api.get(&loa).await.ok(), "loas", &id)["status"], "expired");
    assert_eq!(api.get(&format!("{loa}?status=active")).await.ok()["loas"], json!([]));

    assert!(api.delete(&one).await.message().contains("deleted"));
    assert_eq!(api.get(&loa).await.ok()["loas"], json!([]));
    api.delete(&one).await.refused(404, &[]);
    api.patch(&one, json!({ "reason": "x" })).await.refused(404, &[]);
    let updates = deployment.audit("loa.update").await;
    assert_eq!(updates.len(), 2, "{updates:?}");
    let metadata = &updates[1]["metadata"];
    assert_eq!(metadata["before"], json!({ "ends_at": "2030-08-01T00:00:00Z", "reason": "family" }));
    assert_eq!(metadata["after"], json!({ "ends_at": "2030-09-01T00:00:00Z", "reason": "longer" }));
    assert_eq!(deployment.audit("loa.create").await[0]["target_id"], id.to_string());
    assert_eq!(deployment.audit("loa.delete").await[0]["metadata"]["before"]["id"], id);
}

async fn active_leaves_of_one_person_do_not_overlap(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let loa = path(deployment, "loa");
    let (one, two) = (&guild.members[1].chat, &guild.members[2].chat);
    let first = api.post(&loa, summer(deployment)).await.ok()["id"].clone();
    for (starts, ends) in [
        ("2030-07-31T23:59:59Z", "2030-09-01T00:00:00Z"),
        ("2030-06-01T00:00:00Z", "2030-07-01T00:00:01Z"),
        ("2030-07-10T00:00:00Z", "2030-07-11T00:00:00Z"),
        ("2030-06-01T00:00:00Z", "2030-09-01T00:00:00Z"),
    ] {
        api.post(&loa, leave(one, starts, ends)).await.refused(409, &["overlaps", &first.to_string()]);
    }
    // Leaves of another person, and those that end when the first starts or start when it ends, do not overlap.
    api.post(&loa, leave(two, "2030-07-10T00:00:00Z", "2030-07-11T00:00:00Z")).await.ok();
    api.post(&loa, leave(one, "2030-06-01T00:00:00Z", "2030-07-01T00:00:00Z")).await.ok();
    let next = leave(one, "2030-08-01T00:00:00Z", "2030-08-10T00:00:00Z");
    let next = api.post(&loa, next).await.ok()["id"].clone();
    let next = path(deployment, &format!("loa/{next}"));
    api.patch(&next, json!({ "starts_at": "2030-07-31T00:00:00Z" })).await.refused(409, &["overlaps"]);
    // An expired leave does not count, until it is set to active.
    let first = path(deployment, &format!("loa/{first}"));
    api.patch(&first, json!({ "status": "expired" })).await.ok();
    api.patch(&next, json!({ "starts_at": "2030-07-31T00:00:00Z" })).await.ok();
    api.patch(&first, json!({ "status": "active" })).await.refused(409, &["overlaps"]);
    // One that has ended does not count either, whether or not the sweep has run.
    api.post(&loa, leave(two, "2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z")).await.ok();
    api.post(&loa, leave(two, "2020-01-15T00:00:00Z", "2030-01-01T00:00:00Z")).await.ok();
}

async fn past_leaves_are_expired_once(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (loa, expire) = (path(deployment, "loa"), path(deployment, "loa/expire"));
    assert_eq!(api.post(&expire, json!({})).await.ok(), json!({ "expired": 0 }));
    let mut over = Vec::new();
    for member in &guild.members[1..3] {
        let past = leave(&member.chat, "2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z");
        over.push(api.post(&loa, past).await.ok()["id"].clone());
    }
    let open = api.post(&loa, summer(deployment)).await.ok()["id"].clone();
    // Whether or not the sweep has run.
    let listed = async |status: &str| {
        let data = api.get(&format!("{loa}?status={status}")).await.ok();
        data["loas"].as_array().unwrap().iter().map(|leave| leave["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(listed("active").await, std::slice::from_ref(&open));
    assert_eq!(listed("expired").await, [over[1].clone(), over[0].clone()]);
    let expired = api.post(&expire, json!({})).await.ok()["expired"].as_u64().unwrap();
    let list = api.get(&loa).await.ok();
    for id in &over {
        assert_eq!(item(&list, "loas", id)["status"], "expired");
    }
    assert_eq!(item(&list, "loas", &open)["status"], "active");
    // The sweep may have closed some of them; each was closed once.
    let entries = deployment.audit("loa.expire").await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    let swept = entries.iter().filter(|entry| entry["actor_id"] == "0").count() as u64;
    assert_eq!(expired + swept, 2);
    assert_eq!(api.post(&expire, json!({})).await.ok()["expired"], 0);
}

async fn a_prolonged_leave_is_active_again(deployment: &Deployment) {
    let (api, staff) = (deployment.api(), &deployment.guild().members[1].chat);
    let loa = path(deployment, "loa");
    let past = leave(staff, "2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z");
    let id = api.post(&loa, past).await.ok()["id"].clone();
    api.post(&path(deployment, "loa/expire"), json!({})).await.ok();
    let status = async || item(&api.get(&loa).await.ok(), "loas", &id)["status"].clone();
    let one = path(deployment, &format!("loa/{id}"));
    // The new end is still past, or the status stays `expired`.
    api.patch(&one, json!({ "ends_at": "2020-03-01T00:00:00Z", "reason": "x" })).await.ok();
    assert_eq!(status().await, "expired");
    api.patch(&one, json!({ "ends_at": "2030-02-01T00:00:00Z", "status": "expired" })).await.ok();
    assert_eq!(status().await, "expired");
    // It stays expired while another active leave overlaps.
    let other = leave(staff, "2030-07-01T00:00:00Z", "2030-08-01T00:00:00Z");
    let other = api.post(&loa, other).await.ok()["id"].clone();
    let prolonged = json!({ "ends_at": "2030-07-02T00:00:00Z" });
    api.patch(&one, prolonged.clone()).await.refused(409, &["overlaps", &other.to_string()]);
    assert_eq!(status().await, "expired");
    api.delete(&path(deployment, &format!("loa/{other}"))).await.ok();
    api.patch(&one, prolonged).await.ok();
    assert_eq!(status().await, "active");
    let metadata = &deployment.audit("loa.update").await[0]["metadata"];
    assert_eq!(
        (&metadata["before"]["status"], &metadata["after"]["status"]),
        (&json!("expired"), &json!("active"))
    );
}

/// The sweeps of leaves and strikes.
async fn the_sweep_closes_past_leaves_and_strikes(deployment: &Deployment) {
    let (api, staff) = (deployment.api(), &deployment.guild().members[1].chat);
    let past = leave(staff, "2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z");
    let leave = api.post(&path(deployment, "loa"), past).await.ok()["id"].clone();
    let soon = (now() + chrono::TimeDelta::seconds(1)).to_rfc3339();
    let past = json!({ "staff_id": staff, "reason": "late", "severity": 1, "expires_at": soon });
    let strike = api.post(&path(deployment, "strikes"), past).await.ok()["id"].clone();
    eventually("the strike is over", WITHIN, async || {
        let strikes = api.get(&path(deployment, "strikes")).await.ok();
        (item(&strikes, "strikes", &strike)["active"] == false).then_some(())
    })
    .await;
    for (schedule, id) in [("loa", &leave), ("strikes", &strike)] {
        deployment.run_schedule(schedule).await;
        let action = format!("{schedule}.expire");
        let entry =
            eventually(&action, WITHIN, async || deployment.audit(&action).await.into_iter().next()).await;
        assert_eq!((&entry["target_id"], &entry["actor_id"]), (&json!(id.to_string()), &json!("0")));
    }
    assert_eq!(item(&api.get(&path(deployment, "loa")).await.ok(), "loas", &leave)["status"], "expired");
}

async fn invalid_leaves_are_refused(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (loa, good) = (path(deployment, "loa"), summer(deployment));
    let bad = [
        ("staff_id", json!("absent")),
        ("staff_id", json!(17)),
        ("staff_id", json!(null)),
        ("starts_at", json!("absent")),
        ("starts_at", json!("2030-07-01")),
        ("ends_at", json!("absent")),
        ("ends_at", json!(1_900_000_000)),
        ("ends_at", json!("2030-02-30T00:00:00Z")),
        ("reason", json!("absent")),
        ("reason", json!("")),
        ("reason", json!("x".repeat(1001))),
    ];
    refuse_each(&api, ("POST", &loa), &good, &bad).await;
    let staff = &guild.members[1].chat;
    for ends in ["2030-07-01T00:00:00Z", "2030-06-30T00:00:00Z"] {
        api.post(&loa, leave(staff, "2030-07-01T00:00:00Z", ends))
            .await
            .refused(422, &["`ends_at`", "after"]);
    }
    let mut stranger = good.clone();
    stranger["staff_id"] = json!(outsider(guild).chat);
    api.post(&loa, stranger).await.refused(404, &["staff"]);
    assert_eq!(api.get(&loa).await.ok()["loas"], json!([]));

    let id = api.post(&loa, good).await.ok()["id"].clone();
    let one = path(deployment, &format!("loa/{id}"));
    api.patch(&one, json!({})).await.refused(400, &["`starts_at`", "`status`"]);
    api.patch(&one, json!({ "staff_id": "7" })).await.refused(400, &["nothing to change"]);
    for (field, value) in [("reason", json!(null)), ("ends_at", json!(null)), ("status", json!("over"))] {
        api.patch(&one, json!({ field: value })).await.refused(400, &[&format!("`{field}`")]);
    }
    api.patch(&one, json!({ "ends_at": "2030-06-01T00:00:00Z" })).await.refused(422, &["after"]);
    api.get(&format!("{loa}?status=over")).await.refused(400, &["status"]);
    api.get(&format!("{loa}?staff_id=x")).await.refused(400, &["staff_id"]);
    api.patch(&path(deployment, "loa/x"), json!({ "reason": "x" })).await.refused(400, &["loaId"]);
}

async fn leaves_of_another_guild_are_unknown(deployment: &Deployment) {
    let api = deployment.api();
    let (their_api, their_loa) = theirs(deployment, "loa");
    let mut sent = summer(deployment);
    sent["staff_id"] = json!(deployment.other_guild().members[1].chat);
    let id = their_api.post(&their_loa, sent).await.ok()["id"].clone();
    let (foreign, unknown) = (path(deployment, &format!("loa/{id}")), path(deployment, "loa/999999"));
    let change = json!({ "reason": "x" });
    same_404(api.patch(&unknown, change.clone()).await, api.patch(&foreign, change).await);
    same_404(api.delete(&unknown).await, api.delete(&foreign).await);
    assert_eq!(api.get(&path(deployment, "loa")).await.ok()["loas"], json!([]));
    assert_eq!(item(&their_api.get(&their_loa).await.ok(), "loas", &id)["reason"], "family");
}
