//! The simulator counts requests during a pause; the clients send none.

use std::time::{Duration, Instant};

use platforms::{CallContext, MemberUpdate};
use serde_json::{Value, json};
use simulator::RateLimit;
use testkit::eventually;

use crate::peer::{GUILD, Peer, bulk, chat, now};

const UPDATE: &str = "PATCH /guilds/:guild/members/:user";

async fn raw_update(peer: &Peer, member: i64) -> u16 {
    let url = format!("{}/guilds/{GUILD}/members/{}", peer.url, chat(member));
    let request = peer.http.patch(url).header("authorization", "Bot t").json(&json!({ "nick": "x" }));
    request.send().await.unwrap().status().as_u16()
}

fn limited(global: bool) -> Value {
    json!({ "route": UPDATE, "status": 429, "retry_after": 2.0, "global": global })
}

#[tokio::test]
async fn a_request_during_a_pause_is_counted() {
    for global in [true, false] {
        let peer = Peer::start(2, RateLimit::Off).await;
        peer.fault(limited(global)).await;
        assert_eq!(raw_update(&peer, 0).await, 429);
        // This request may have been in flight.
        raw_update(&peer, 1).await;
        assert_eq!(peer.stats().await["ignored_pauses"], 0);
        // Half a second later it was not.
        let ignored = async || {
            raw_update(&peer, 1).await;
            (peer.stats().await["ignored_pauses"] == 1).then_some(())
        };
        eventually("a request that ignores the pause", Duration::from_secs(2), ignored).await;
        let role = format!("{}/guilds/{GUILD}/roles", peer.url);
        peer.http.get(role).header("authorization", "Bot t").send().await.unwrap();
        let expected = if global { 2 } else { 1 };
        assert_eq!(peer.stats().await["ignored_pauses"], expected, "global: {global}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_keep_pauses_and_continue_after_them() {
    for global in [true, false] {
        let peer = Peer::start(60, RateLimit::Off).await;
        let platform = peer.platforms("50").chat;
        peer.fault(limited(global)).await;
        let started = Instant::now();
        let rename = |call: CallContext, numbers: std::ops::Range<i64>| {
            let platform = platform.clone();
            tokio::spawn(async move {
                for n in numbers {
                    let update = MemberUpdate { roles: None, nick: Some(Some(format!("n{n}"))) };
                    platform.update_member(call, chat(n), update, "paced").await.unwrap();
                }
            })
        };
        let tasks = [rename(bulk(), 0..20), rename(bulk(), 20..40), rename(now(), 40..45)];
        for task in tasks {
            task.await.unwrap();
        }
        let stats = peer.stats().await;
        assert!(started.elapsed() >= Duration::from_secs(2));
        assert_eq!(
            (&stats["ignored_pauses"], &stats["rate_limited"], &stats["member_updates"]),
            (&json!(0), &json!(1), &json!(45)),
            "global: {global}"
        );
    }
}

#[tokio::test]
async fn updates_are_reported_in_their_order() {
    let peer = Peer::start(3, RateLimit::Fast).await;
    for member in [2, 0, 1] {
        assert_eq!(raw_update(&peer, member).await, 200);
    }
    peer.fault(json!({ "route": UPDATE, "status": 500 })).await;
    assert_eq!(raw_update(&peer, 0).await, 500);
    let updates = async |after: &str| {
        let url = format!("{}/control/updates{after}", peer.url);
        let answer: Value = peer.http.get(url).send().await.unwrap().json().await.unwrap();
        let rows = answer["updates"].as_array().unwrap().clone();
        rows.iter().map(|row| (row[1].clone(), row[2].clone())).collect::<Vec<_>>()
    };
    let row = |member: i64| (json!(GUILD.to_string()), json!(chat(member)));
    assert_eq!(updates("").await, [row(2), row(0), row(1)]);
    assert_eq!(updates("?after=2").await, [row(1)]);
    let stats = peer.stats().await;
    assert_eq!(stats["updates_by_guild"], json!({ GUILD.to_string(): 3 }));
    let by_second: u64 = stats["chat_by_second"].as_array().unwrap().iter().filter_map(Value::as_u64).sum();
    assert_eq!(by_second, 4);
    let refused = peer.http.get(format!("{}/control/updates?after=x", peer.url)).send().await.unwrap();
    assert_eq!(refused.status(), 400);
}
