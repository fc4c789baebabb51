//! `/guilds/:guildId/staff/strikes` (docs/rules.md 6).

use std::time::Duration;

use serde_json::{Value, json};

use super::{item, now, outsider, path, refuse_each, same_404, theirs};
use testkit::{Deployment, both_modes, eventually, in_turn};

both_modes!(
    a_strike_is_given_edited_removed_and_wiped,
    a_strike_lasts_for_the_guilds_strike_days,
    an_expired_strike_is_closed_once,
    removing_a_strike_is_final,
    strikes_of_another_guild_are_unknown,
);

in_turn!(a_strike_must_expire_in_the_future, invalid_strikes_are_refused,);

fn strike(deployment: &Deployment) -> Value {
    json!({ "staff_id": deployment.guild().members[1].chat, "reason": "late", "severity": 3 })
}

async fn a_strike_is_given_edited_removed_and_wiped(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let strikes = path(deployment, "strikes");
    let mut sent = strike(deployment);
    sent["expires_at"] = json!("2099-01-01T00:00:00Z");
    let id = api.post(&strikes, sent).await.ok()["id"].clone();
    let shown = async || item(&api.get(&strikes).await.ok(), "strikes", &id).clone();
    let first = shown().await;
    assert!(first["created_at"].is_string());
    let expected = json!({ "id": id, "staff_id": guild.members[1].chat, "reason": "late", "severity": 3,
        "expires_at": "2099-01-01T00:00:00Z", "active": true, "issued_by": guild.members[0].chat,
        "created_at": first["created_at"], "ended_how": null });
    assert_eq!(first, expected);

    let (one, update) =
        (path(deployment, &format!("strikes/{id}")), path(deployment, &format!("strikes/{id}/update")));
    api.patch(&update, json!({ "severity": 10, "reason": "very late" })).await.ok();
    api.patch(&update, json!({ "expires_at": "2098-01-01T00:00:00Z" })).await.ok();
    let edited = shown().await;
    assert_eq!((&edited["severity"], &edited["reason"]), (&json!(10), &json!("very late")));
    assert_eq!((&edited["expires_at"], &edited["active"]), (&json!("2098-01-01T00:00:00Z"), &json!(true)));

    // A removed strike stays on record.
    assert!(api.send(reqwest::Method::PATCH, &one, None).await.message().contains("removed"));
    let removed = shown().await;
    assert_eq!((&removed["active"], &removed["ended_how"]), (&json!(false), &json!("removed")));
    assert!(api.send(reqwest::Method::PATCH, &one, None).await.message().contains("inactive already"));
    let later = api.patch(&update, json!({ "expires_at": "2099-01-01T00:00:00Z" })).await;
    assert_eq!(later.refused(409, &["`expires_at`"]).error(), "strike_removed");
    api.patch(&update, json!({ "reason": "late, removed", "expires_at": removed["expires_at"] })).await.ok();
    assert_eq!(shown().await["active"], false, "a removed strike stays removed");
    assert_eq!(api.get(&format!("{strikes}?active=true")).await.ok()["strikes"], json!([]));

    // A wiped strike is deleted.
    api.delete(&one).await.ok();
    assert_eq!(api.get(&strikes).await.ok()["strikes"], json!([]));
    api.delete(&one).await.refused(404, &[]);
    api.patch(&one, json!({})).await.refused(404, &[]);
    api.patch(&update, json!({ "severity": 1 })).await.refused(404, &[]);
    for (action, entries) in
        [("strikes.create", 1), ("strikes.update", 3), ("strikes.remove", 1), ("strikes.wipe", 1)]
    {
        assert_eq!(deployment.audit(action).await.len(), entries, "{action}");
    }
}

async fn a_strike_lasts_for_the_guilds_strike_days(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let strikes = path(deployment, "strikes");
    for days in [90, 7] {
        api.patch(&format!("/guilds/{}/settings", guild.id), json!({ "strike_days": days })).await.ok();
        let id = api.post(&strikes, strike(deployment)).await.ok()["id"].clone();
        let shown = api.get(&strikes).await.ok();
        let shown = item(&shown, "strikes", &id);
        let at = |field: &str| chrono::DateTime::parse_from_rfc3339(shown[field].as_str().unwrap()).unwrap();
        // `expires_at` is rounded up to whole seconds, `created_at` down.
        let lasts = (at("expires_at") - at("created_at")).num_seconds() - days * 86_400;
        assert!((0..=1).contains(&lasts), "{shown}");
    }
}

/// An expired strike, which the sweep may or may not have closed.
async fn expired(deployment: &Deployment) -> Value {
    let ends = now() + chrono::TimeDelta::seconds(1);
    let mut short = strike(deployment);
    short["expires_at"] = json!(ends.to_rfc3339());
    let id = deployment.api().post(&path(deployment, "strikes"), short).await.ok()["id"].clone();
    eventually("the strike has expired", Duration::from_secs(5), async || {
        let list = deployment.api().get(&path(deployment, "strikes?active=false")).await.ok();
        list["strikes"].as_array().unwrap().iter().any(|strike| strike["id"] == id).then_some(())
    })
    .await;
    id
}

/// Before and after the expiry is written.
async fn removing_a_strike_is_final(deployment: &Deployment) {
    let api = deployment.api();
    let (strikes, expire) = (path(deployment, "strikes"), path(deployment, "strikes/expire"));
    for swept in [false, true] {
        let id = expired(deployment).await;
        if swept {
            api.post(&expire, json!({})).await.ok();
            assert_eq!(item(&api.get(&strikes).await.ok(), "strikes", &id)["ended_how"], "expired");
        }
        let (one, update) =
            (path(deployment, &format!("strikes/{id}")), path(deployment, &format!("strikes/{id}/update")));
        assert!(api.send(reqwest::Method::PATCH, &one, None).await.message().contains("removed"));
        let change = json!({ "expires_at": "2099-01-01T00:00:00Z" });
        api.patch(&update, change).await.refused(409, &["`expires_at`"]);
        let list = api.get(&strikes).await.ok();
        let shown = item(&list, "strikes", &id);
        assert_eq!((&shown["active"], &shown["ended_how"]), (&json!(false), &json!("removed")), "{swept}");
    }
}

async fn a_strike_must_expire_in_the_future(deployment: &Deployment) {
    let api = deployment.api();
    let (strikes, past) = (path(deployment, "strikes"), "2020-01-01T00:00:00Z");
    let mut given = strike(deployment);
    given["expires_at"] = json!(past);
    api.post(&strikes, given.clone()).await.refused(422, &["`expires_at`"]);
    given["expires_at"] = json!(now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
    api.post(&strikes, given).await.refused(422, &["`expires_at`"]);
    let id = api.post(&strikes, strike(deployment)).await.ok()["id"].clone();
    let update = path(deployment, &format!("strikes/{id}/update"));
    api.patch(&update, json!({ "expires_at": past, "severity": 9 })).await.refused(422, &["`expires_at`"]);
    let list = api.get(&strikes).await.ok();
    let shown = item(&list, "strikes", &id);
    assert_eq!((&shown["severity"], &shown["active"]), (&json!(3), &json!(true)));
}

async fn an_expired_strike_is_closed_once(deployment: &Deployment) {
    let api = deployment.api();
    let (strikes, expire) = (path(deployment, "strikes"), path(deployment, "strikes/expire"));
    let over = expired(deployment).await;
    let open = api.post(&strikes, strike(deployment)).await.ok()["id"].clone();
    // An expired strike is inactive before the sweep.
    let list = api.get(&format!("{strikes}?active=false")).await.ok();
    assert_eq!(item(&list, "strikes", &over)["active"], false);
    let expired = api.post(&expire, json!({})).await.ok()["expired"].as_u64().unwrap();
    let entries = deployment.audit("strikes.expire").await;
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(expired, u64::from(entries[0]["actor_id"] != "0"));
    let list = api.get(&strikes).await.ok();
    assert_eq!(item(&list, "strikes", &over)["ended_how"], "expired");
    assert_eq!(item(&list, "strikes", &open)["active"], true);
    assert_eq!(api.post(&expire, json!({})).await.ok(), json!({ "expired": 0 }));
    // With a later expiry it is active again.
    let update = path(deployment, &format!("strikes/{over}/update"));
    api.patch(&update, json!({ "expires_at": "2099-01-01T00:00:00Z" })).await.ok();
    assert_eq!(item(&api.get(&strikes).await.ok(), "strikes", &over)["active"], true);
}

async fn invalid_strikes_are_refused(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (strikes, good) = (path(deployment, "strikes"), strike(deployment));
    let bad = [
        ("staff_id", json!("absent")),
        ("staff_id", json!("x")),
        ("reason", json!("absent")),
        ("reason", json!("x".repeat(1001))),
        ("severity", json!("absent")),
        ("severity", json!(0)),
        ("severity", json!(11)),
        ("severity", json!("3")),
        ("severity", json!(2.5)),
        ("expires_at", json!("soon")),
    ];
    refuse_each(&api, ("POST", &strikes), &good, &bad).await;
    let mut stranger = good.clone();
    stranger["staff_id"] = json!(outsider(guild).chat);
    api.post(&strikes, stranger).await.refused(404, &["staff"]);
    let id = api.post(&strikes, good).await.ok()["id"].clone();
    let update = path(deployment, &format!("strikes/{id}/update"));
    api.patch(&update, json!({})).await.refused(400, &["`reason`", "`severity`", "`expires_at`"]);
    let bad = [("severity", json!(0)), ("expires_at", json!(null)), ("reason", json!(null))];
    refuse_each(&api, ("PATCH", &update), &json!({}), &bad).await;
    api.get(&format!("{strikes}?active=maybe")).await.refused(400, &["active"]);
    api.delete(&path(deployment, "strikes/x")).await.refused(400, &["strikeId"]);
    let answer = api.delete(&path(deployment, "strikes/expire")).await.refused(405, &[]);
    assert_eq!(answer.header("allow"), Some("POST"));
}

async fn strikes_of_another_guild_are_unknown(deployment: &Deployment) {
    let api = deployment.api();
    let (their_api, their_strikes) = theirs(deployment, "strikes");
    let mut sent = strike(deployment);
    sent["staff_id"] = json!(deployment.other_guild().members[1].chat);
    let id = their_api.post(&their_strikes, sent).await.ok()["id"].clone();
    let one = |id: &str, rest: &str| path(deployment, &format!("strikes/{id}{rest}"));
    let (foreign, unknown) = (id.to_string(), "999999");
    let change = json!({ "severity": 1 });
    let update = async |id: &str| api.patch(&one(id, "/update"), change.clone()).await;
    same_404(update(unknown).await, update(&foreign).await);
    same_404(api.patch(&one(unknown, ""), json!({})).await, api.patch(&one(&foreign, ""), json!({})).await);
    same_404(api.delete(&one(unknown, "")).await, api.delete(&one(&foreign, "")).await);
    let shown = their_api.get(&their_strikes).await.ok();
    assert_eq!(
        (&item(&shown, "strikes", &id)["severity"], &shown["strikes"][0]["active"]),
        (&json!(3), &json!(true))
    );
}
