//! Events of the chat platform: members who join or are changed are right by themselves (docs/rules.md 5).

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Deployment, Guild, Member, Mode, Setup, both_modes, eventually, http_client, run_unstarted};

both_modes!(
    linked_joiners_are_right_at_once(crate::gateway::reading),
    doubled_and_reordered_events_lead_to_one_write(crate::gateway::reading),
    joiners_without_a_link_get_what_the_guild_chose(crate::gateway::reading),
    screened_members_are_right_when_they_have_passed(crate::gateway::reading),
    changes_by_others_are_repaired_and_own_ones_lead_to_nothing(crate::gateway::reading),
    nothing_is_lost_while_the_stream_is_cut(crate::gateway::reading),
    what_happened_before_a_new_session_is_found(crate::gateway::reading),
    a_look_at_the_members_that_is_under_way_is_not_enough(crate::gateway::reading),
    without_the_intent_for_members_it_reads_the_rest(crate::gateway::reading)
);

/// A joiner is right, from the event to the last call.
pub(crate) const RIGHT_WITHIN: Duration = Duration::from_secs(15);

pub(crate) fn reading(setup: Setup) -> Setup {
    setup.events()
}

/// The stream is read, and what happened before its session began has been looked for.
pub(crate) async fn connected(deployment: &Deployment) {
    eventually("the event stream is read", RIGHT_WITHIN, async || {
        (deployment.simulator.stream().await["connected"] == 1).then_some(())
    })
    .await;
    eventually("the members have been looked at", RIGHT_WITHIN, async || {
        (!jobs(deployment, "catch_up").await.is_empty()).then_some(())
    })
    .await;
}

pub(crate) async fn right(deployment: &Deployment, guild: &Guild, member: &Member) {
    eventually("the member is right", RIGHT_WITHIN, async || {
        deployment.simulator.is_right(guild, member).await.then_some(())
    })
    .await;
}

/// The member comes back with nothing.
pub(crate) async fn rejoin(deployment: &Deployment, guild: &Guild, member: &Member) {
    deployment.simulator.leave(guild, &member.chat).await;
    deployment.simulator.join(guild, &member.chat).await;
}

async fn updates_of(deployment: &Deployment, guild: &Guild, chat: &str) -> u64 {
    let state = deployment.simulator.guild_state(guild).await;
    let members = state["members"].as_array().unwrap();
    members.iter().find(|member| member["chat_id"] == chat).unwrap()["updates"].as_u64().unwrap()
}

async fn jobs(deployment: &Deployment, kind: &str) -> Vec<Value> {
    at_rest(deployment, &format!("kind={kind}")).await
}

/// The guild's jobs of a filter, once none of them is open.
pub(crate) async fn at_rest(deployment: &Deployment, filter: &str) -> Vec<Value> {
    let path = format!("/guilds/{}/jobs?limit=100&{filter}", deployment.guild().id);
    eventually("no job is open", RIGHT_WITHIN, async || {
        let jobs = deployment.api().get(&path).await.ok()["jobs"].as_array().unwrap().clone();
        jobs.iter().all(|job| !job["finished_at"].is_null()).then_some(jobs)
    })
    .await
}

async fn linked_joiners_are_right_at_once(deployment: &Deployment) {
    connected(deployment).await;
    let guild = deployment.guild();
    let member = guild.right();
    rejoin(deployment, guild, member).await;
    right(deployment, guild, member).await;
    // The events of the sync's own calls lead to nothing more.
    let syncs = jobs(deployment, "sync_member").await;
    assert_eq!(syncs.len(), 1, "{syncs:?}");
    let entry = deployment.audit("sync.member").await;
    let entry = entry.iter().find(|entry| entry["target_id"] == member.chat).unwrap();
    assert_eq!((&entry["metadata"]["cause"], &entry["actor_id"]), (&json!("joined"), &json!("0")));
    let other = deployment.other_guild();
    rejoin(deployment, other, other.right()).await;
    right(deployment, other, other.right()).await;
}

async fn doubled_and_reordered_events_lead_to_one_write(deployment: &Deployment) {
    connected(deployment).await;
    let guild = deployment.guild();
    let members: Vec<&Member> = guild.members.iter().take(8).collect();
    deployment.simulator.change_stream(json!({ "double": 16, "reorder": 4 })).await;
    for member in &members {
        rejoin(deployment, guild, member).await;
    }
    for member in &members {
        right(deployment, guild, member).await;
    }
    jobs(deployment, "sync_member").await;
    for member in members {
        let updates = updates_of(deployment, guild, &member.chat).await;
        assert!(updates <= 2, "{updates} writes for a role and a nickname");
    }
}

/// A later event is handled, so the ones before are too.
async fn a_later_event(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), &deployment.guild().members[1]);
    rejoin(deployment, guild, other).await;
    right(deployment, guild, other).await;
}

async fn set(deployment: &Deployment, settings: Value) {
    let path = format!("/guilds/{}/settings", deployment.guild().id);
    deployment.api().send(Method::PATCH, &path, Some(settings)).await.ok();
}

async fn joiners_without_a_link_get_what_the_guild_chose(deployment: &Deployment) {
    connected(deployment).await;
    let (guild, simulator) = (deployment.guild(), &deployment.simulator);
    let role = &guild.right().wanted;
    let path = format!("/guilds/{}/settings", guild.id);
    let refused =
        deployment.api().send(Method::PATCH, &path, Some(json!({ "join_notice": "channel" }))).await;
    refused.refused(422, &["join_channel"]);
    let elsewhere = json!({ "join_notice": "channel", "join_channel": deployment.other_guild().id });
    let refused = deployment.api().send(Method::PATCH, &path, Some(elsewhere)).await;
    refused.refused(422, &["join_channel", "no text channel with this id"]);
    let [first, second, third] = [1, 2, 3].map(|n| format!("299999999999999{n:03}"));
    simulator.join(guild, &first).await;
    a_later_event(deployment).await;
    set(deployment, json!({ "join_notice": "direct_message", "unverified_role": role })).await;
    simulator.join(guild, &second).await;
    let got = async |chat: &str| {
        eventually("the joiner has the role", RIGHT_WITHIN, async || {
            (simulator.member(guild, chat).await["roles"] == json!([role])).then_some(())
        })
        .await;
    };
    got(&second).await;
    let told = eventually("the joiner is told", RIGHT_WITHIN, async || {
        simulator.direct_messages(&second).await.first().cloned()
    })
    .await;
    let text = told["content"].as_str().unwrap();
    assert!(text.contains("/link") && text.contains("Roblox"), "{text}");
    // The guild's id is that of the channel which every guild has.
    set(deployment, json!({ "join_notice": "channel", "join_channel": guild.id })).await;
    simulator.join(guild, &third).await;
    got(&third).await;
    let posted = eventually("the joiner is named in the channel", RIGHT_WITHIN, async || {
        simulator.messages_in(&guild.id).await.first().cloned()
    })
    .await;
    assert!(posted["content"].as_str().unwrap().contains(&format!("<@{third}>")), "{posted}");
    assert_eq!(jobs(deployment, "greet_member").await.len(), 2);
    assert_eq!(simulator.member(guild, &first).await["roles"], json!([]));
    assert!(simulator.direct_messages(&third).await.is_empty());
}

async fn screened_members_are_right_when_they_have_passed(deployment: &Deployment) {
    connected(deployment).await;
    let (guild, simulator) = (deployment.guild(), &deployment.simulator);
    let member = guild.right();
    simulator.leave(guild, &member.chat).await;
    let pending = |pending: bool| json!({ "guild_id": guild.id, "chat_id": member.chat, "pending": pending });
    simulator.change_member(pending(true)).await;
    a_later_event(deployment).await;
    assert_eq!(simulator.member(guild, &member.chat).await["roles"], json!([]));
    simulator.change_member(pending(false)).await;
    right(deployment, guild, member).await;
}

async fn changes_by_others_are_repaired_and_own_ones_lead_to_nothing(deployment: &Deployment) {
    connected(deployment).await;
    let (guild, simulator) = (deployment.guild(), &deployment.simulator);
    deployment.sync_all(guild, RIGHT_WITHIN).await;
    assert_eq!(simulator.wrong(guild).await, 0);
    let member = guild.right();
    let change = |roles: Value, nick: &str| json!({ "guild_id": guild.id, "chat_id": member.chat, "roles": roles, "nick": nick });
    simulator.change_member(change(json!([]), "Somebody")).await;
    right(deployment, guild, member).await;
    let syncs = jobs(deployment, "sync_member").await;
    assert_eq!(syncs.len(), 1, "the events of the sync of all members led to more: {syncs:?}");
    let entry = deployment.audit("sync.member").await;
    assert_eq!(entry[0]["metadata"]["cause"], "changed");
    // One more at once waits: no other bot and this one change a member in turn without end.
    simulator.change_member(change(json!([]), "Somebody")).await;
    let waiting = eventually("the second repair waits", RIGHT_WITHIN, async || {
        let path = format!("/guilds/{}/jobs?kind=sync_member", guild.id);
        let jobs = deployment.api().get(&path).await.ok()["jobs"].as_array().unwrap().clone();
        let waits = |job: &Value| job["finished_at"].is_null() && !job["started_at"].is_null();
        jobs.into_iter().find(|job| waits(job) && job["state"] != "running")
    })
    .await;
    assert!(waiting["finished_at"].is_null(), "{waiting}");
}

async fn nothing_is_lost_while_the_stream_is_cut(deployment: &Deployment) {
    connected(deployment).await;
    let (guild, simulator) = (deployment.guild(), &deployment.simulator);
    for (index, fault) in [json!({ "cut": true }), json!({ "reconnect": true })].into_iter().enumerate() {
        let member = &guild.members[index];
        simulator.change_stream(json!({ "refuse": true })).await;
        simulator.change_stream(fault).await;
        rejoin(deployment, guild, member).await;
        simulator.change_stream(json!({ "refuse": false })).await;
        right(deployment, guild, member).await;
    }
    // Some events may have come before the client left the second connection.
    let stream = eventually("the session went on twice", RIGHT_WITHIN, async || {
        let stream = simulator.stream().await;
        (stream["resumes"] == 2).then_some(stream)
    })
    .await;
    assert_eq!(stream["identifies"], 1, "{stream}");
    let looked = jobs(deployment, "catch_up").await;
    assert_eq!(looked.len(), 1, "only at the begin of the session: {looked:?}");
}

async fn what_happened_before_a_new_session_is_found(deployment: &Deployment) {
    connected(deployment).await;
    let (guild, simulator) = (deployment.guild(), &deployment.simulator);
    deployment.sync_all(guild, RIGHT_WITHIN).await;
    let (joined, changed) = (&guild.members[0], &guild.members[1]);
    simulator.change_stream(json!({ "refuse": true, "invalidate": true })).await;
    rejoin(deployment, guild, joined).await;
    let change = json!({ "guild_id": guild.id, "chat_id": changed.chat, "roles": [] });
    simulator.change_member(change).await;
    simulator.change_stream(json!({ "refuse": false })).await;
    for member in [joined, changed] {
        right(deployment, guild, member).await;
    }
    let found = jobs(deployment, "catch_up").await;
    assert_eq!(found.len(), 2, "one for each session: {found:?}");
    let stream = simulator.stream().await;
    assert_eq!((&stream["identifies"], &stream["too_early"]), (&json!(2), &json!(0)), "{stream}");
}

async fn a_look_at_the_members_that_is_under_way_is_not_enough(deployment: &Deployment) {
    connected(deployment).await;
    let (guild, simulator) = (deployment.guild(), &deployment.simulator);
    let looks = async || {
        let path = format!("/guilds/{}/jobs?kind=catch_up", guild.id);
        deployment.api().get(&path).await.ok()["jobs"].as_array().unwrap().clone()
    };
    // What it reads is of now, and comes when the next session has begun.
    let late = json!({ "route": "GET /guilds/:guild/members", "guild_id": guild.id, "served": true, "hang_ms": 8_000 });
    deployment.fault(late).await;
    simulator.change_stream(json!({ "invalidate": true })).await;
    eventually("a look is under way", RIGHT_WITHIN, async || {
        looks().await.iter().any(|look| look["state"] == "running").then_some(())
    })
    .await;
    simulator.change_stream(json!({ "refuse": true, "invalidate": true })).await;
    rejoin(deployment, guild, guild.right()).await;
    simulator.change_stream(json!({ "refuse": false })).await;
    right(deployment, guild, guild.right()).await;
}

async fn without_the_intent_for_members_it_reads_the_rest(deployment: &Deployment) {
    connected(deployment).await;
    let (guild, simulator) = (deployment.guild(), &deployment.simulator);
    simulator.set_members_intent(false).await;
    simulator.change_stream(json!({ "invalidate": true })).await;
    connected(deployment).await;
    rejoin(deployment, guild, guild.right()).await;
    let follow = format!("/guilds/{}/follow", guild.id);
    let before = deployment.api().get(&follow).await.ok();
    simulator
        .change_role(json!({ "guild_id": guild.id, "role_id": guild.right().wanted, "position": 2 }))
        .await;
    eventually("the next pass is hastened", RIGHT_WITHIN, async || {
        (deployment.api().get(&follow).await.ok()["next_at"] != before["next_at"]).then_some(())
    })
    .await;
}

#[test]
fn a_stream_whose_place_is_unknown_is_shown_as_unread() {
    run_unstarted(reading(Setup::new(Mode::Distributed)), async |deployment| {
        deployment.fault(json!({ "route": "GET /gateway/bot", "status": 500, "count": 1000 })).await;
        let gateway = deployment.spawn("gateway");
        let shows = async |connected: u8| {
            let line = format!("guildhall_gateway_connected{{shard=\"0\"}} {connected}");
            eventually(&line, 2 * RIGHT_WITHIN, async || {
                let url = format!("{}/metrics", gateway.metrics);
                let metrics = http_client().get(url).send().await.ok()?.text().await.ok()?;
                metrics.lines().any(|found| found == line).then_some(())
            })
            .await;
        };
        shows(0).await;
        deployment.clear_faults().await;
        shows(1).await;
    });
}
