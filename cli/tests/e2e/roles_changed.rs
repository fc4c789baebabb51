//! `PATCH /guilds/:guildId/settings` and `PATCH /bindings/update` while somebody else changes a role that its caller was checked
//! against (docs/rules.md 5 and 8).

use std::time::Duration;

use sea_orm::{ConnectionTrait, DatabaseTransaction, Statement, TransactionTrait};
use serde_json::json;
use testkit::{Deployment, distributed_only, eventually};

// Only this mode's database tells that a request waits for a row.
distributed_only!(
    roles_that_change_while_they_are_checked_are_a_conflict,
    a_role_of_a_binding_that_changes_meanwhile_is_a_conflict
);

/// A statement of this database waits for a lock on a row of `guild`.
const WAITS: &str = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' \
                     AND query LIKE '%\"guild\"%'";

/// Commits once a request has read what it was checked against, and waits.
async fn commit(deployment: &Deployment, other: DatabaseTransaction) {
    let watching = deployment.connect().await;
    let waits = Statement::from_string(watching.get_database_backend(), WAITS);
    eventually("the request has read the roles, and waits", Duration::from_secs(20), async || {
        watching.query_one_raw(waits.clone()).await.unwrap()
    })
    .await;
    other.commit().await.unwrap();
}

async fn roles_that_change_while_they_are_checked_are_a_conflict(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (at, [first, second, ..]) = (format!("/guilds/{}/settings", guild.id), &guild.roles[..]) else {
        unreachable!()
    };
    let connection = deployment.connect().await;
    let other = connection.begin().await.unwrap();
    let change = format!("UPDATE guild SET verified_role = {second} WHERE guild_id = {}", guild.id);
    other.execute_unprepared(&change).await.unwrap();
    let (refused, ()) =
        tokio::join!(api.patch(&at, json!({ "verified_role": first })), commit(deployment, other));
    assert_eq!(refused.refused(409, &["try again"]).error(), "roles_changed");
    assert_eq!(api.get(&at).await.ok()["verified_role"], second.as_str());
    let again = api.patch(&at, json!({ "verified_role": first })).await.ok();
    assert_eq!(again["verified_role"], first.as_str());
}

async fn a_role_of_a_binding_that_changes_meanwhile_is_a_conflict(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let body =
        json!({ "type": "group_rank", "group_id": guild.group, "rank": 240, "role_id": guild.roles[0] });
    let id = api.post("/bindings/add", body).await.ok()["id"].clone();
    let connection = deployment.connect().await;
    let other = connection.begin().await.unwrap();
    let lock = format!("SELECT guild_id FROM guild WHERE guild_id = {} FOR UPDATE", guild.id);
    other.execute_unprepared(&lock).await.unwrap();
    let change = format!("UPDATE binding SET role_id = {} WHERE binding_id = {id}", guild.roles[1]);
    other.execute_unprepared(&change).await.unwrap();
    let wider = json!({ "binding_id": id, "rank": 1 });
    let (refused, ()) = tokio::join!(api.patch("/bindings/update", wider.clone()), commit(deployment, other));
    assert_eq!(refused.refused(409, &["role_id"]).error(), "roles_changed");
    api.patch("/bindings/update", wider).await.ok();
}
