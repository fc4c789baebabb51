//! Rate limits (docs/rules.md 3). The end of a window is tested beside the limiter.

use serde_json::{Value, json};

use testkit::{Api, Deployment, both_modes, key_text};

both_modes!(
    a_limit_counts_each_key_alone,
    reads_and_writes_of_bindings_are_counted_apart,
    every_group_of_paths_has_its_limit,
    a_bulk_sync_is_one_accepted_call_for_the_guild,
    failed_keys_are_limited_by_address,
    a_key_may_multiply_the_limits_of_hot_paths,
);

/// Calls until the first refusal and returns the number of calls that passed.
async fn passed(api: &Api, path: &str, at_most: usize) -> usize {
    for count in 0..=at_most {
        if api.get(path).await.status == 429 {
            return count;
        }
    }
    panic!("{path}: more than {at_most} passed");
}

async fn a_limit_counts_each_key_alone(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let path = format!("/lookup/chat/{}", guild.members[0].chat);
    for used in 1..=60 {
        let answer = api.get(&path).await;
        assert_eq!(answer.number("x-ratelimit-limit"), 60, "{answer}");
        assert_eq!(answer.number("x-ratelimit-remaining"), 60 - used, "{answer}");
        assert!(answer.number("x-ratelimit-reset-after") <= 60, "{answer}");
        answer.ok();
    }
    // Calls refused for another reason count, and so do other paths of the same limit.
    for path in [path.as_str(), "/lookup/play/99", "/api/v1/lookup/chat/99"] {
        let answer = api.get(path).await.refused(429, &[]);
        assert!((1..=60).contains(&answer.number("retry-after")), "{answer}");
        assert_eq!(answer.number("retry-after"), answer.number("x-ratelimit-reset-after"), "{answer}");
        assert_eq!(answer.number("x-ratelimit-remaining"), 0, "{answer}");
    }
    // Another key of the guild has a count of its own, and the same key has one for each limit.
    api.key(&guild.game_key).get(&path).await.ok();
    api.get("/bindings/list").await.ok();
}

async fn reads_and_writes_of_bindings_are_counted_apart(deployment: &Deployment) {
    let api = deployment.api();
    for used in 1..=30 {
        let answer = api.delete(&format!("/bindings/remove/{}", 900_000 + used)).await;
        assert_eq!((answer.status, answer.number("x-ratelimit-limit")), (404, 30), "{answer}");
        assert_eq!(answer.number("x-ratelimit-remaining"), 30 - used, "{answer}");
    }
    let body = json!({ "type": "group_rank", "group_id": 1, "rank": 1, "role_id": "1" });
    api.post("/bindings/add", body).await.refused(429, &[]);
    assert_eq!(passed(&api, "/bindings/list", 100).await, 100);
}

async fn every_group_of_paths_has_its_limit(deployment: &Deployment) {
    let (api, guild, member) = (deployment.api(), deployment.guild(), deployment.guild().right());
    let limit = |answer: testkit::Answer| answer.number("x-ratelimit-limit");
    let guild_path = |rest: &str| format!("/guilds/{}/{rest}", guild.id);
    let sync = json!({ "guild_id": guild.id, "user_id": member.chat });
    assert_eq!(limit(api.get(&guild_path("members")).await), 100);
    assert_eq!(limit(api.patch(&guild_path("settings"), json!({})).await), 20);
    assert_eq!(limit(api.get(&guild_path("audit-logs")).await), 100);
    assert_eq!(limit(api.post(&guild_path("audit-logs"), json!({})).await), 20);
    assert_eq!(limit(api.post("/lookup/status", json!({ "chat_ids": ["1"] })).await), 60);
    assert_eq!(limit(api.post("/reverse", json!({ "play_ids": [1] })).await), 60);
    assert_eq!(limit(api.post("/interactions/sync", sync).await), 30);
    assert_eq!(limit(api.post("/interactions/roles/assign", json!({})).await), 30);
    assert_eq!(limit(api.post("/interactions/sync/all", json!({ "dry_run": 1 })).await), 1);
    // Audit logs have a limit apart from the other paths below /guilds.
    let audit = api.get(&guild_path("audit-logs")).await.number("x-ratelimit-remaining");
    let config = api.get(&guild_path("members")).await.number("x-ratelimit-remaining");
    assert_eq!((audit, config), (98, 98));
}

async fn a_bulk_sync_is_one_accepted_call_for_the_guild(deployment: &Deployment) {
    let (api, guild, other) = (deployment.api(), deployment.guild(), deployment.other_guild());
    let path = "/interactions/sync/all";
    // Refused calls do not use the hour.
    api.post(path, json!({ "guild_id": other.id })).await.refused(403, &[]);
    api.post(path, json!({ "guild_id": guild.id, "max_removals": -1 })).await.refused(400, &["max_removals"]);
    api.post(path, json!({ "guild_id": 7 })).await.refused(400, &["guild_id"]);
    let read_only = deployment.new_key("read").await;
    api.key(&read_only).post(path, json!({})).await.refused(403, &["sync"]);
    assert_eq!(api.post(path, json!({ "guild_id": guild.id })).await.ok()["queued"], true);
    for key in [&guild.admin_key, &guild.game_key] {
        let answer = api.key(key).post(path, json!({ "guild_id": guild.id })).await.refused(429, &[]);
        assert!((3_500..=3_600).contains(&answer.number("retry-after")), "{answer}");
    }
    // Each guild has an hour of its own.
    assert_eq!(api.key(&other.game_key).post(path, json!({})).await.ok()["queued"], true);
}

async fn failed_keys_are_limited_by_address(deployment: &Deployment) {
    let api = deployment.api();
    for n in 0..30 {
        let key = key_text(50 + n, "unknown");
        api.key(&key).get("/bindings/list").await.refused(401, &[]);
    }
    let answer = api.key(&key_text(90, "unknown")).get("/bindings/list").await.refused(429, &[]);
    assert!((1..=60).contains(&answer.number("retry-after")), "{answer}");
    api.without("x-api-key").get("/bindings/list").await.refused(429, &[]);
    // A valid key, cached or not, is accepted from an address that is blocked for failed keys.
    let fresh = deployment.new_key("read").await;
    let guesses = (0..200).map(|n| {
        let guess = api.key(&key_text(200 + n, "unknown"));
        async move { guess.get("/bindings/list").await.refused(429, &[]) }
    });
    let valid = async {
        for _ in 0..5 {
            api.get("/bindings/list").await.ok();
            api.key(&fresh).get("/bindings/list").await.ok();
        }
    };
    tokio::join!(futures_util::future::join_all(guesses), valid);
}

async fn a_key_may_multiply_the_limits_of_hot_paths(deployment: &Deployment) {
    let guild = deployment.guild();
    let args =
        ["keys", "create", "--guild", &guild.id, "--name", "n", "--owner", "1", "--hot-path-factor", "10"];
    let key = deployment.command(&args).await.succeeded();
    let api = deployment.api().key(key.trim());
    let hot = api.get(&format!("/moderation/{}/ban-status/17", guild.id)).await;
    assert_eq!(
        (hot.number("x-ratelimit-limit"), hot.number("x-ratelimit-remaining")),
        (3_000, 2_999),
        "{hot}"
    );
    for (path, limit) in [
        ("/bindings/list", 100),
        (&*format!("/moderation/{}/bans", guild.id), 100),
        (&*format!("/moderation/{}/play/bans/active", guild.id), 1_000),
        (&*format!("/moderation/{}/play/mutes/active", guild.id), 1_000),
        ("/shield/check/17", 3_000),
    ] {
        assert_eq!(api.get(path).await.number("x-ratelimit-limit"), limit, "{path}");
    }
    let batch = api.post("/shield/batch", json!({ "play_ids": [] })).await;
    assert_eq!(batch.number("x-ratelimit-limit"), 3_000);
    let listed = deployment.command(&["keys", "list", "--json"]).await.succeeded();
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    assert!(
        listed.iter().any(|row| row["public_id"] == key[3..11] && row["hot_path_factor"] == 10),
        "{listed:?}"
    );
    for bad in ["0", "1001", "x"] {
        let args =
            ["keys", "create", "--guild", &guild.id, "--name", "n", "--owner", "1", "--hot-path-factor", bad];
        assert_eq!(deployment.command(&args).await.code, Some(2), "{bad}");
    }
}
