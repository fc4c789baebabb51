//! A day in a community that lives: nothing that happens is missed, nothing that others did is undone, and memory stays flat
//! (docs/rules.md 5).

mod community;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{Deployment, Fixture, Mode, Setup, eventually, run_in};

use self::community::Community;
use crate::gateway::{RIGHT_WITHIN, connected};

/// Changes, for a longer run: a day has 1,440.
const CHANGES: &str = "GUILDHALL_LIFE";
const FEW: usize = 300;
const AN_HOUR: usize = 60;
/// Members of a short and of a longer run.
const MEMBERS: [usize; 2] = [200, 10_000];
/// Longer than a look of the scheduler, a plan and its chunks.
const PASS_WITHIN: Duration = Duration::from_secs(60);
/// Passes after the last change: the last one may have begun before it.
const LAST_PASSES: usize = 3;

#[test]
fn a_day_misses_nothing_and_undoes_nothing() {
    a_day_in(Mode::Distributed);
}

#[test]
fn a_day_of_serve_misses_nothing_and_undoes_nothing() {
    a_day_in(Mode::Embedded);
}

fn a_day_in(mode: Mode) {
    let changes = std::env::var(CHANGES).ok().and_then(|changes| changes.parse().ok()).unwrap_or(FEW);
    let mut fixture = Fixture::new(1, MEMBERS[usize::from(changes > FEW)]);
    let others = [5_006, 5_007].map(|n| (7_000_000_000_000_000_000_i64 + n).to_string());
    for (n, member) in fixture.guilds[0].members.iter_mut().enumerate() {
        let other = others.iter().skip(n % 4).take(1).cloned();
        (member.held, member.nick) =
            (std::iter::once(member.wanted.clone()).chain(other).collect(), member.name.clone());
    }
    let mut file = fixture.json();
    let others = others.iter().zip(6..);
    let others = others.map(|(id, n)| json!({ "id": id, "name": format!("Other {n}"), "position": n }));
    file["chat"]["guilds"][0]["roles"].as_array_mut().unwrap().extend(others);
    let setup = Setup::new(mode).events().env("GUILDHALL_FOLLOW_SHARE", "100");
    let start = async {
        let deployment = Deployment::seeded_with(setup, fixture, &file).await;
        deployment.start_all().await;
        deployment
    };
    run_in(start, async |deployment| a_day(deployment, changes).await);
}

async fn a_day(deployment: &Deployment, changes: usize) {
    let (simulator, guild) = (&deployment.simulator, deployment.guild());
    connected(deployment).await;
    pass(deployment).await;
    simulator.reset_stats().await;
    let (begun, hours) = (Instant::now(), changes.div_ceil(AN_HOUR));
    let (mut community, mut repaired, mut early) = (Community::of(guild), 0, Vec::new());
    for hour in 0..hours {
        let made = simulator.live(AN_HOUR.min(changes - hour * AN_HOUR)).await;
        made.iter().for_each(|change| community.apply(change));
        // By the event alone.
        for joiner in community.joiners(&made) {
            eventually("who joined is right", RIGHT_WITHIN, async || {
                community
                    .wrong(&simulator.guild_state(guild).await)
                    .iter()
                    .all(|wrong| *wrong != joiner)
                    .then_some(())
            })
            .await;
        }
        repaired += pass(deployment).await["changed"].as_u64().unwrap();
        if hour == hours / 4 {
            early = memory(deployment);
        }
    }
    let mut passes = 0;
    let missed = loop {
        let wrong = community.wrong(&simulator.guild_state(guild).await);
        if wrong.is_empty() || passes == LAST_PASSES {
            break wrong;
        }
        repaired += pass(deployment).await["changed"].as_u64().unwrap();
        passes += 1;
    };
    let (life, stats, late) = (simulator.life().await, simulator.stats().await, memory(deployment));
    println!(
        "{changes} changes of {} members in {:.0} s: {}; {repaired} members repaired by {} passes",
        guild.members.len(),
        begun.elapsed().as_secs_f64(),
        life["counts"],
        hours + passes,
    );
    println!(
        "calls: {} of the chat platform, {} of them changes of members; {} of the game platform",
        stats["chat_requests"], stats["member_updates"], stats["play_requests"]
    );
    println!("changes missed: {}, undone: {}", missed.len(), life["undone"].as_array().unwrap().len());
    assert_eq!(missed, Vec::<String>::new(), "changes were missed or undone");
    assert_eq!(life["undone"], json!([]));
    for ((name, early), (_, late)) in early.iter().zip(&late) {
        println!("memory of {name}: {early:.0} MiB after a quarter, {late:.0} MiB at the end");
        assert!(*late < early * 2.0, "the memory of {name} grows");
    }
}

/// A whole pass that began now.
async fn pass(deployment: &Deployment) -> Value {
    // Each with a key of its own: a day of passes in minutes would use up the limit of one.
    let api = deployment.api().key(&deployment.new_key("read,sync").await);
    let path = format!("/guilds/{}/follow", deployment.guild().id);
    let idle = async |since: Option<&Value>| {
        eventually("a pass ended", PASS_WITHIN, async || {
            let now = api.get(&path).await.ok();
            assert!(now["stopped"].is_null(), "{now}");
            (now["job_id"].is_null() && since.is_none_or(|since| now["ended_at"] != *since)).then_some(now)
        })
        .await
    };
    let before = idle(None).await;
    let other = if before["every_minutes"] == 10_000 { 10_001 } else { 10_000 };
    api.patch(&path, json!({ "every_minutes": other })).await.ok();
    idle(Some(&before["ended_at"])).await
}

/// Of each process, in MiB.
fn memory(deployment: &Deployment) -> Vec<(String, f64)> {
    let mut roles = deployment.roles();
    roles.all().map(|running| (running.process.name().to_owned(), running.process.memory_mib())).collect()
}
