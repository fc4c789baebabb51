use std::sync::Arc;
use std::time::Instant;

use platforms::{CallContext, ChatPlatform, MemberUpdate, Platforms};
use serde_json::json;
use simulator::RateLimit;

use crate::peer::{Peer, bulk, chat, config, now};

async fn rename(platform: Arc<ChatPlatform>, call: CallContext, numbers: std::ops::Range<i64>) {
    for n in numbers {
        let update = MemberUpdate { roles: None, nick: Some(Some(format!("n{n}"))) };
        platform.update_member(call, chat(n), update, "paced").await.unwrap();
    }
}

/// Four bulk tasks and one interactive task under the global limit; no call is refused.
#[tokio::test(flavor = "multi_thread")]
async fn bulk_keeps_the_limit_and_a_useful_pace() {
    let peer = Peer::start(200, RateLimit::Fast).await;
    let platform = peer.platforms("50").chat;
    let started = Instant::now();
    let tasks: Vec<_> = (0..4)
        .map(|task| tokio::spawn(rename(platform.clone(), bulk(), task * 45..task * 45 + 45)))
        .collect();
    let interactive = tokio::spawn(rename(platform.clone(), now(), 180..190));
    interactive.await.unwrap();
    assert!(started.elapsed().as_secs() < 5, "interactive calls keep their share");
    for task in tasks {
        task.await.unwrap();
    }
    let elapsed = started.elapsed().as_secs_f64();
    let stats = peer.stats().await;
    assert_eq!((&stats["rate_limited"], &stats["member_updates"]), (&json!(0), &json!(190)));
    assert!(stats["max_per_second"].as_u64().unwrap() <= 50, "{stats}");
    assert!(elapsed < 8.0, "190 updates took {elapsed} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn off_runs_at_full_speed() {
    let peer = Peer::start(500, RateLimit::Off).await;
    let platform = peer.platforms("off").chat;
    let started = Instant::now();
    let tasks: Vec<_> = (0..4)
        .map(|task| tokio::spawn(rename(platform.clone(), bulk(), task * 125..task * 125 + 125)))
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert!(started.elapsed().as_secs_f64() < 10.0, "{:?}", started.elapsed());
    assert_eq!(peer.stats().await["member_updates"], 500);
}

/// Two sets of clients, as of two worker processes, share their pacing in Redis.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_keep_the_limit_together() {
    let peer = Peer::start(200, RateLimit::Fast).await;
    let namespace = testkit::Namespace::new(testkit::Servers::from_env());
    let started = Instant::now();
    let mut tasks = Vec::new();
    for process in 0..2 {
        let redis = namespace.redis().await;
        let platform = Platforms::new(&config(&peer.url, "50"), Some(&redis)).unwrap().chat;
        for task in process * 3..process * 3 + 3 {
            tasks.push(tokio::spawn(rename(platform.clone(), bulk(), task * 30..task * 30 + 30)));
        }
    }
    for task in tasks {
        task.await.unwrap();
    }
    let elapsed = started.elapsed().as_secs_f64();
    let stats = peer.stats().await;
    assert_eq!((&stats["rate_limited"], &stats["member_updates"]), (&json!(0), &json!(180)));
    assert!(stats["max_per_second"].as_u64().unwrap() <= 50, "{stats}");
    assert!(elapsed < 8.0, "180 updates took {elapsed} s");
}
