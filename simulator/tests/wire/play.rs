use platforms::{Missing, PlatformError, Platforms};
use serde_json::json;
use simulator::RateLimit;

use crate::peer::{GROUP, Peer, bulk, config, group, now, play};

#[tokio::test]
async fn ranks_are_read_for_fifty_users_a_call() {
    let peer = Peer::start(120, RateLimit::Discord).await;
    let play_platform = peer.platforms("off").play;
    let several = json!({ "group_id": GROUP, "play_id": play(0), "ranks": [30, 10] });
    assert_eq!(peer.post("/control/members", several).await.0, 204);
    let users: Vec<_> = (0..130).map(play).collect();
    let ranks = play_platform.memberships(bulk(), &users, &[group()]).await.unwrap();
    assert_eq!(ranks.len(), 120);
    let held = |user| ranks[&(play(user), group())].iter().map(|role| role.rank).collect::<Vec<_>>();
    assert_eq!((held(0), held(1)), (vec![10, 30], vec![20]));
    let first = &ranks[&(play(0), group())][0];
    assert_eq!((first.id.get(), first.name.as_str()), (GROUP * 1000 + 1, "g1"));
    assert!(!ranks.contains_key(&(play(125), group())));
    play_platform.memberships(bulk(), &users, &[group()]).await.unwrap();
    let requests = peer.stats().await["requests"].clone();
    assert_eq!(requests["GET /cloud/v2/groups/-/memberships"]["200"], 6);
    // 25 roles are two pages of 20; the second round uses the cache.
    assert_eq!(requests["GET /cloud/v2/groups/:group/roles"]["200"], 2);
}

#[tokio::test]
async fn an_unknown_group_is_an_error() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let play_platform = peer.platforms("off").play;
    let nowhere = entities::GroupId::try_from(404).unwrap();
    let ranks = play_platform.memberships(bulk(), &[play(0)], &[group(), nowhere]).await;
    assert_eq!(ranks, Err(PlatformError::NotFound(Missing::Group(nowhere))));
    assert!(play_platform.memberships(bulk(), &[], &[nowhere]).await.unwrap().is_empty());
}

#[tokio::test]
async fn roles_and_names() {
    let peer = Peer::start(250, RateLimit::Discord).await;
    let play_platform = peer.platforms("off").play;
    let roles = play_platform.group_roles(now(), group()).await.unwrap();
    assert_eq!(roles.len(), 25);
    assert_eq!(play_platform.group_name(now(), group()).await.unwrap(), "G");
    let nowhere = entities::GroupId::try_from(404).unwrap();
    let unknown = play_platform.group_name(now(), nowhere).await;
    assert_eq!(unknown, Err(PlatformError::NotFound(Missing::Group(nowhere))));
    assert_eq!((roles[0].id.get(), roles[0].rank, roles[0].name.as_str()), (GROUP * 1000 + 1, 10, "g1"));
    let users: Vec<_> = (0..260).map(play).collect();
    let names = play_platform.usernames(now(), &users).await.unwrap();
    assert_eq!(names.len(), 250);
    assert_eq!(names[&play(7)], "p7");
    let renamed = json!({ "play_id": play(7), "display_name": "Seven" });
    assert_eq!(peer.post("/control/members", renamed).await.0, 204);
    let names = play_platform.names(now(), &[play(7), play(8)]).await.unwrap();
    let shown = |user| (names[&play(user)].name.as_str(), names[&play(user)].display_name.as_str());
    assert_eq!((shown(7), shown(8)), (("p7", "Seven"), ("p8", "p8")));
    assert_eq!(peer.stats().await["requests"]["POST /v1/users"]["200"], 3);
}

#[tokio::test]
async fn a_profile_has_its_text_and_its_age() {
    let peer = Peer::start(2, RateLimit::Discord).await;
    let mut config = config(&peer.url, "off");
    config.play_key = None;
    let play_platform = Platforms::new(&config, None).unwrap().play;
    let profile = async |n: i64| play_platform.profile(now(), play(n)).await.unwrap();
    let first = profile(0).await.unwrap();
    assert_eq!((first.id, first.name.as_str(), first.description.as_str()), (play(0), "p0", ""));
    assert_eq!(first.created_at.to_rfc3339(), "2015-01-01T00:00:00+00:00");
    let text = "crown \"lake\"\nñ";
    peer.post("/control/profiles", json!({ "play_id": play(0), "description": text })).await;
    let time = "2026-11-02T03:04:05.678Z";
    peer.post("/control/profiles", json!({ "play_id": play(0), "created_at": time })).await;
    let changed = profile(0).await.unwrap();
    assert_eq!((changed.description.as_str(), changed.created_at), (text, time.parse().unwrap()));
    assert_eq!(profile(1).await.unwrap().description, "");
    assert_eq!(profile(2).await, None);
    peer.fault(json!({ "route": "GET /v1/users/:user", "status": 500 })).await;
    assert!(play_platform.profile(now(), play(0)).await.unwrap_err().is_retryable());
}

#[tokio::test]
async fn the_minute_limit_is_three_hundred_for_a_key() {
    let peer = Peer::start(1, RateLimit::Discord).await;
    let url = format!("{}/cloud/v2/groups/{GROUP}/roles", peer.url);
    let get = |key: &'static str| peer.http.get(&url).header("x-api-key", key).send();
    for _ in 0..300 {
        assert_eq!(get("a").await.unwrap().status(), 200);
    }
    let limited = get("a").await.unwrap();
    assert_eq!(limited.status(), 429);
    let header = |name: &str| limited.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        (header("x-ratelimit-limit"), header("x-ratelimit-remaining")),
        ("300, 300;w=60".into(), "0".into())
    );
    assert_eq!(header("retry-after"), header("x-ratelimit-reset"));
    assert_eq!(get("b").await.unwrap().status(), 200);
    let bare = peer.http.get(&url).send().await.unwrap();
    assert_eq!(bare.status(), 401);
}

#[tokio::test]
async fn a_429_of_one_batch_pauses_all_batches() {
    let peer = Peer::start(200, RateLimit::Off).await;
    let play_platform = peer.platforms("off").play;
    let users: Vec<_> = (0..200).map(play).collect();
    play_platform.group_roles(bulk(), group()).await.unwrap();
    let route = "GET /cloud/v2/groups/-/memberships";
    peer.fault(json!({ "route": route, "status": 429, "retry_after": 1, "count": 1 })).await;
    let started = std::time::Instant::now();
    assert_eq!(play_platform.memberships(bulk(), &users, &[group()]).await.unwrap().len(), 200);
    assert!(started.elapsed().as_millis() >= 1000, "{:?}", started.elapsed());
    assert_eq!(peer.stats().await["requests"][route], json!({ "200": 4, "429": 1 }));
}
