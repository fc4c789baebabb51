use entities::GuildId;
use serde_json::{Value, json};

use super::*;
use crate::live::dashboard::feed::Joined;

fn at(second: i64) -> Timestamp {
    Timestamp::from_timestamp(1_800_000_000 + second, 0).unwrap()
}

fn guild() -> GuildId {
    "5".parse().unwrap()
}

/// Type and `data` of the frames since the last call.
fn frames(joined: &mut Joined) -> Vec<(String, Value)> {
    let next = || joined.frames.try_recv().ok();
    let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let frames = std::iter::from_fn(next).map(|frame| read(&frame.text));
    frames.map(|frame| (frame["type"].as_str().unwrap().to_owned(), frame["data"].clone())).collect()
}

fn kinds(joined: &mut Joined) -> Vec<String> {
    frames(joined).into_iter().map(|(kind, _)| kind).collect()
}

fn entry(id: i64) -> audit_entry::Model {
    audit_entry::Model {
        audit_id: AuditId::try_from(id).unwrap(),
        guild_id: guild(),
        action: "bans.add".to_owned(),
        source: audit_entry::Source::Service,
        actor_id: 7,
        target_id: "9".to_owned(),
        metadata: json!({}),
        key_id: None,
        request_id: None,
        created_at: at(0),
        position: Some(id),
        salt: None,
        digest: None,
        hash: None,
    }
}

fn server(players: i32, heard: i64) -> game_server::Model {
    game_server::Model {
        guild_id: guild(),
        server_id: "s1".to_owned(),
        place_id: "71".parse().unwrap(),
        universe_id: "72".parse().unwrap(),
        player_count: players,
        first_seen_at: at(0),
        last_heartbeat_at: at(heard),
        offline_at: None,
    }
}

#[test]
fn each_entry_is_told_once_and_very_many_are_counted() {
    let (feed, mut audit) = (Feed::new(), Audit::after(0));
    let mut joined = feed.join(None);
    audit.note(vec![entry(3), entry(2)], &feed, true);
    // A transaction with a lower id commits later.
    audit.note(vec![entry(3), entry(2), entry(1)], &feed, true);
    let ids: Vec<_> = frames(&mut joined).into_iter().map(|(_, data)| data["id"].clone()).collect();
    assert_eq!(ids, [json!(2), json!(3), json!(1)]);
    audit.note((4..=12).rev().map(entry).collect(), &feed, false);
    assert!(frames(&mut joined).is_empty());
    audit.note((4..=13).rev().map(entry).collect(), &feed, true);
    let told = frames(&mut joined);
    assert_eq!(told[0].1["id"], 13);
    assert_eq!(told[1], ("audit.several".to_owned(), json!({ "count": 9 })));
}

#[test]
fn entries_settle_after_a_while() {
    let mut audit = Audit::after(0);
    let now = Instant::now();
    audit.seen = (1..=3).map(|id| (id, now)).collect();
    audit.settle(now + SETTLES_IN);
    assert_eq!((audit.settled, audit.seen.len()), (0, 3));
    audit.seen.insert(4, now + SETTLES_IN);
    audit.settle(now + SETTLES_IN + Duration::from_millis(1));
    assert_eq!((audit.settled, audit.seen.len()), (3, 1));
}

#[test]
fn servers_make_frames_when_something_differs() {
    let (feed, mut servers) = (Feed::new(), Servers::default());
    let mut joined = feed.join(None);
    servers.note(vec![server(3, 0)], at(1), Some(&feed));
    servers.note(vec![server(3, 30)], at(31), Some(&feed));
    assert_eq!(kinds(&mut joined), ["server.online"]);
    servers.note(vec![server(4, 60)], at(61), Some(&feed));
    assert_eq!(kinds(&mut joined), ["server.changed"]);
    servers.note(Vec::new(), at(149), Some(&feed));
    assert!(kinds(&mut joined).is_empty());
    servers.note(Vec::new(), at(150), Some(&feed));
    servers.note(Vec::new(), at(151), Some(&feed));
    assert_eq!(kinds(&mut joined), ["server.offline"]);
}
