//! What is stored and shown at the end: links, attempts, the audit log, roles and nicknames.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use entities::link_attempt::Outcome;
use entities::{audit_entry, link, link_attempt};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use testkit::{Deployment, JobState, Member, eventually};

use super::kills::STAFF;
use super::ways::{WAYS, Way};

/// Rescue of the jobs of dead workers, and all that follow.
const WITHIN: Duration = Duration::from_secs(120);
const SYNC: &str = "sync_member";

pub(super) async fn is_linked(deployment: &Deployment, member: &Member) -> bool {
    links(deployment).await.contains_key(&member.chat)
}

/// The game account of each linked chat account.
async fn links(deployment: &Deployment) -> HashMap<String, i64> {
    let guild: entities::GuildId = deployment.guild().id.parse().unwrap();
    let connection = deployment.connect().await;
    let rows = link::Entity::find().filter(link::Column::GuildId.eq(guild)).all(&connection).await.unwrap();
    connection.close().await.unwrap();
    rows.into_iter().map(|link| (link.chat_id.to_string(), link.play_id.get())).collect()
}

/// Waits until each link's job has ended; a sync of all members gives what imports bring (docs/rules.md 11).
pub(super) async fn settled(deployment: &Deployment, members: &[Member]) {
    let jobs = deployment.all_jobs_ended(SYNC, WITHIN).await;
    let failed: Vec<_> = jobs.iter().filter(|job| job.state != JobState::Succeeded).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let imported = imported(members);
    let shown = shown(deployment).await;
    for member in members.iter().filter(|member| !imported.contains(&&*member.chat)) {
        assert_eq!(shown[&member.chat], right(member), "{}: its own sync is lost", member.chat);
    }
    deployment.all_jobs_ended("sync_all", WITHIN).await;
    deployment.forget_quotas().await;
    deployment.sync_all(deployment.guild(), WITHIN).await;
}

fn imported(members: &[Member]) -> Vec<&str> {
    let ways = members.iter().zip(WAYS.iter().cycle());
    ways.filter(|(_, way)| **way == Way::Import).map(|(member, _)| &*member.chat).collect()
}

/// Panics if a link, an attempt, an entry of the audit log, a role or a nickname is without the others.
pub(super) async fn agrees(deployment: &Deployment, members: &[Member]) {
    let links = links(deployment).await;
    let expected: HashMap<_, _> = members.iter().map(|member| (member.chat.clone(), member.play)).collect();
    assert_eq!(links, expected);
    let (attempts, entries) = (linked_attempts(deployment).await, entries(deployment).await);
    let imported = imported(members);
    for member in members {
        let (attempts, entries) = (attempts.get(&member.chat), entries.get(&member.chat));
        if imported.contains(&&*member.chat) {
            assert_eq!((attempts, entries), (None, None), "{}", member.chat);
            continue;
        }
        let sources: Vec<_> = entries.into_iter().flatten().map(|after| after["source"].clone()).collect();
        let plays: Vec<_> = entries.into_iter().flatten().map(|after| after["play_id"].clone()).collect();
        assert_eq!(plays, [json!(member.play)], "{}: one link, one entry", member.chat);
        let by_member = usize::from(sources == ["self"]);
        assert_eq!(attempts.copied().unwrap_or(0), by_member, "{}: one attempt for its link", member.chat);
    }
    eventually("everybody has the roles of their links, and nobody else", WITHIN, async || {
        let shown = shown(deployment).await;
        let wanted = |member: &Member| {
            if links.contains_key(&member.chat) { right(member) } else { (json!([]), Value::Null) }
        };
        deployment.guild().members[STAFF..]
            .iter()
            .all(|member| shown[&member.chat] == wanted(member))
            .then_some(())
    })
    .await;
}

/// How many attempts of each member have ended in a link.
async fn linked_attempts(deployment: &Deployment) -> BTreeMap<String, usize> {
    let connection = deployment.connect().await;
    let rows = link_attempt::Entity::find().all(&connection).await.unwrap();
    connection.close().await.unwrap();
    let mut counted = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.outcome == Some(Outcome::Linked)) {
        *counted.entry(row.chat_id.to_string()).or_default() += 1;
    }
    counted
}

/// The links of each member that the audit log has; an import is one entry for all its lines.
async fn entries(deployment: &Deployment) -> BTreeMap<String, Vec<Value>> {
    let connection = deployment.connect().await;
    let actions = ["links.add", "links.replace"];
    let made = audit_entry::Entity::find().filter(audit_entry::Column::Action.is_in(actions));
    let rows = made.all(&connection).await.unwrap();
    connection.close().await.unwrap();
    let mut entries: BTreeMap<_, Vec<Value>> = BTreeMap::new();
    for row in rows {
        entries.entry(row.target_id).or_default().push(row.metadata["after"].clone());
    }
    entries
}

/// Roles and nickname of each member on the chat platform.
async fn shown(deployment: &Deployment) -> HashMap<String, (Value, Value)> {
    let state = deployment.simulator.guild_state(deployment.guild()).await;
    let members = state["members"].as_array().unwrap().iter();
    members
        .map(|one| {
            let chat = one["chat_id"].as_str().unwrap().to_owned();
            (chat, (one["roles"].clone(), one["nick"].clone()))
        })
        .collect()
}

fn right(member: &Member) -> (Value, Value) {
    (json!([member.wanted]), json!(member.name))
}
