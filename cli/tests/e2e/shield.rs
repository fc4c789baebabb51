//! `/shield/...` and its commands (docs/rules.md 3, 5 and 9).

use std::io::{Read, Write};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Answer, Deployment, both_modes, eventually, in_turn};

both_modes!(
    a_flag_is_seen_by_every_guild_with_its_author_and_reason,
    an_import_counts_imported_and_skipped_users,
    only_guilds_on_the_allowlist_import,
    a_caller_that_does_not_wait_gets_the_job,
    flags_are_set_and_lifted_by_command,
    a_seed_sets_the_flags_of_its_fixture,
);

in_turn!(fields_are_checked_and_sizes_bounded(own),);

const CHECK: &str = "/shield/check";
const BATCH: &str = "/shield/batch";
const IMPORT: &str = "/shield/import";
/// An id without an account on either platform.
const NOBODY: i64 = 999_999_999;
/// Body limit of an import (docs/rules.md 3).
const BODY_MAX: usize = 4 * 1024 * 1024;
const SEEN_WITHIN: Duration = Duration::from_secs(5);

trait Shielding {
    fn deployment(&self) -> &Deployment;

    fn play(&self, n: usize) -> i64 {
        self.deployment().guild().members[n].play
    }

    async fn import(&self, users: &[(i64, &str)]) -> Answer {
        let users: Vec<Value> =
            users.iter().map(|(play, reason)| json!({ "play_id": play, "reason": reason })).collect();
        self.deployment().api().post(IMPORT, json!({ "users": users })).await
    }

    async fn check(&self, play: i64) -> Value {
        self.deployment().api().get(&format!("{CHECK}/{play}")).await.ok()
    }

    async fn becomes_flagged(&self, play: i64, flagged: bool) {
        eventually(&format!("{play} is flagged: {flagged}"), SEEN_WITHIN, async || {
            (self.check(play).await["flagged"] == flagged).then_some(())
        })
        .await;
    }
}

impl Shielding for Deployment {
    fn deployment(&self) -> &Deployment {
        self
    }
}

async fn a_flag_is_seen_by_every_guild_with_its_author_and_reason(deployment: &Deployment) {
    let (member, guild) = (&deployment.guild().members[3], deployment.guild());
    // The player is cached as not flagged.
    let clean = deployment.check(member.play).await;
    assert_eq!(clean, json!({ "flagged": false }));
    assert_eq!(
        deployment.import(&[(member.play, "exploiting")]).await.ok(),
        json!({ "imported": 1, "skipped": 0, "skipped_users": [] })
    );
    let data = deployment.check(member.play).await;
    let flag = &data["flag"];
    assert_eq!(data["flagged"], true, "{data}");
    assert_eq!(flag["play_id"], member.play.to_string(), "a string in responses: {data}");
    assert_eq!((&flag["play_username"], &flag["reason"]), (&json!(member.name), &json!("exploiting")));
    assert_eq!((&flag["flagged_by"], &flag["source"]), (&json!(guild.members[0].chat), &json!("import")));
    assert!(flag["flagged_at"].is_string(), "{data}");

    // Another guild's key of default scopes; a batch answers each flagged id once.
    let theirs = deployment.api().key(&deployment.other_guild().game_key);
    assert_eq!(theirs.get(&format!("{CHECK}/{}", member.play)).await.ok(), data);
    let asked = json!([deployment.play(4), member.play.to_string(), member.play, NOBODY]);
    let batch = theirs.post(BATCH, json!({ "play_ids": asked })).await.ok();
    let item = json!({ "play_id": member.play.to_string(), "play_username": member.name,
                       "reason": "exploiting", "source": "import" });
    assert_eq!(batch, json!({ "flagged": [item] }));

    let answer = theirs.get(&format!("{CHECK}/{NOBODY}")).await;
    assert_eq!(
        (answer.number("x-ratelimit-limit"), answer.header("x-ratelimit-bucket")),
        (300, Some("shield_check"))
    );
    let answer = theirs.post(BATCH, json!({ "play_ids": [NOBODY] })).await;
    assert_eq!(
        (answer.number("x-ratelimit-limit"), answer.header("x-ratelimit-bucket")),
        (300, Some("shield_batch"))
    );
}

async fn an_import_counts_imported_and_skipped_users(deployment: &Deployment) {
    let (one, two, three) = (deployment.play(1), deployment.play(2), deployment.play(3));
    let answer = deployment.import(&[(one, "first")]).await;
    assert_eq!(
        (answer.number("x-ratelimit-limit"), answer.header("x-ratelimit-bucket")),
        (50, Some("shield_import"))
    );
    answer.ok();
    // A flagged user, one named twice, and an unknown one are skipped.
    let users =
        [(one, "again"), (two, "second"), (two, "second again"), (three, "third"), (NOBODY, "nobody")];
    let data = deployment.import(&users).await.ok();
    assert_eq!((&data["imported"], &data["skipped"]), (&json!(2), &json!(3)));
    let skipped = [(one, "already_flagged"), (two, "repeated"), (NOBODY, "unknown_user")]
        .map(|(play, reason)| json!({ "play_id": play.to_string(), "reason": reason }));
    assert_eq!(data["skipped_users"], json!(skipped));
    let reasons = |data: &Value| -> Vec<Value> {
        data["flagged"].as_array().unwrap().iter().map(|item| item["reason"].clone()).collect()
    };
    let batch = deployment.api().post(BATCH, json!({ "play_ids": [three, two, one, NOBODY] })).await.ok();
    assert_eq!(reasons(&batch), ["third", "second", "first"], "in the order of the request: {batch}");

    let imported: Vec<_> = deployment.audit("shield.import").await;
    let counts: Vec<_> = imported.iter().map(|entry| entry["metadata"]["imported"].clone()).collect();
    assert_eq!(counts, [2, 1]);
    assert_eq!(imported[0]["actor_id"], deployment.guild().members[0].chat.as_str());
    let asked = deployment.audit("shield.import_requested").await;
    assert_eq!((asked.len(), &asked[0]["metadata"]["users"]), (2, &json!(5)));

    // A repeat under the same idempotency key gets the first answer.
    let api = deployment.api().header("idempotency-key", "import-1");
    let body = json!({ "users": [{ "play_id": deployment.play(5), "reason": "r" }] });
    let first = api.post(IMPORT, body.clone()).await;
    let again = api.post(IMPORT, body).await;
    assert_eq!(first.without_request_id(), again.without_request_id());
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}

async fn only_guilds_on_the_allowlist_import(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let body = json!({ "users": [{ "play_id": deployment.play(7), "reason": "r" }] });
    let theirs = deployment.api().key(&other.admin_key);
    let refused = theirs.post(IMPORT, body.clone()).await.refused(403, &["allowlist"]);
    assert_eq!(refused.error(), "not_on_allowlist");
    // A guild on the allowlist still needs a key with the scope.
    let no_scope = deployment.api().key(&deployment.new_key("read").await);
    no_scope.post(IMPORT, body.clone()).await.refused(403, &["shield"]);
    no_scope.post(BATCH, json!({ "play_ids": [deployment.play(7)] })).await.ok();
    assert_eq!(deployment.check(deployment.play(7)).await["flagged"], false);

    deployment.command(&["shield", "allow", &other.id]).await.succeeded();
    assert_eq!(theirs.post(IMPORT, body.clone()).await.ok()["imported"], 1);
    let log = format!("/guilds/{}/audit-logs?action=shield.allow", other.id);
    let entries = theirs.get(&log).await.ok();
    assert_eq!(entries["entries"][0]["metadata"]["after"], json!({ "shield_writer": true }), "{entries}");
    deployment.command(&["shield", "disallow", &guild.id]).await.succeeded();
    deployment.api().post(IMPORT, body).await.refused(403, &["allowlist"]);
    // A second disallow writes no audit entry.
    deployment.command(&["shield", "disallow", &guild.id]).await.succeeded();
    assert_eq!(deployment.audit("shield.disallow").await.len(), 1);
    deployment.command(&["shield", "allow", "77"]).await.refused();
}

async fn a_caller_that_does_not_wait_gets_the_job(deployment: &Deployment) {
    let users: Vec<Value> =
        (0..30).map(|n| json!({ "play_id": deployment.play(n), "reason": format!("reason {n}") })).collect();
    let api = deployment.api().header("prefer", "respond-async");
    let answer = api.post(&format!("/api/v1{IMPORT}"), json!({ "users": users })).await;
    assert_eq!(answer.status, 202, "{answer}");
    let job = answer.body["data"]["job_id"].as_str().unwrap();
    assert_eq!(answer.header("location"), Some(format!("/api/v1/jobs/{job}").as_str()));
    let ended = deployment.job_ended(job).await;
    assert_eq!(ended["kind"], "shield_import");
    assert_eq!(ended["result"], json!({ "imported": 30, "skipped": 0, "skipped_users": [] }), "{ended}");
    assert_eq!(
        (&ended["progress"]["done"], &ended["progress"]["total"]),
        (&json!(30), &json!(30)),
        "{ended}"
    );
    deployment.becomes_flagged(deployment.play(29), true).await;
    // One failure of the game platform is retried within the caller's wait.
    deployment.fault(json!({ "route": "*", "status": 503, "count": 1 })).await;
    let users = [(deployment.other_guild().members[0].play, "r")];
    assert_eq!(
        deployment.import(&users).await.ok(),
        json!({ "imported": 1, "skipped": 0, "skipped_users": [] })
    );
}

async fn fields_are_checked_and_sizes_bounded(deployment: &Deployment) {
    let api = deployment.api();
    for bad in ["0", "x", "9223372036854775808", "01"] {
        api.get(&format!("{CHECK}/{bad}")).await.refused(400, &["playId"]);
    }
    let ids = |n: i64| json!({ "play_ids": (1..=n).collect::<Vec<_>>() });
    api.post(BATCH, ids(200)).await.ok();
    api.post(BATCH, ids(201)).await.refused(400, &["play_ids", "200"]);
    for bad in [json!({}), json!({ "play_ids": 7 }), json!({ "play_ids": [0] })] {
        api.post(BATCH, bad).await.refused(400, &["play_ids"]);
    }
    let user = |play: Value, reason: Value| json!({ "users": [{ "play_id": play, "reason": reason }] });
    for (bad, named) in [
        (json!({}), "`users`"),
        (json!({ "users": "all" }), "`users`"),
        (json!({ "users": [7] }), "`users[0]`"),
        (json!({ "users": [{ "reason": "r" }] }), "`users[0].play_id` is missing"),
        (user(json!(0), json!("r")), "`users[0].play_id`"),
        (
            user(json!(9_007_199_254_740_993_i64), json!("r")),
            "`users[0].play_id` must be sent as a string of digits",
        ),
        (user(json!(7), json!("")), "`users[0].reason`"),
        (user(json!(7), json!("r".repeat(1001))), "`users[0].reason`"),
        (user(json!(7), Value::Null), "`users[0].reason` is missing"),
    ] {
        api.post(IMPORT, bad).await.refused(400, &[named]);
    }
    let many = |n: i64, reason: &str| -> Value {
        json!({ "users": (1..=n).map(|n| json!({ "play_id": n + 500_000_000, "reason": reason })).collect::<Vec<_>>() })
    };
    api.post(IMPORT, many(10_001, "r")).await.refused(400, &["users", "10000"]);
    // About 1 MB of unknown users; other paths take 256 KiB.
    let answer = api.header("prefer", "wait=30").post(IMPORT, many(10_000, &"r".repeat(60))).await;
    let data = answer.ok();
    assert_eq!((&data["imported"], &data["skipped"]), (&json!(0), &json!(10_000)));
    assert_eq!(data["skipped_users"].as_array().unwrap().len(), 10_000);
    let padded = |bytes: usize| {
        let head = format!("{{\"users\":[{{\"play_id\":{NOBODY},\"reason\":\"r\"}}],\"x\":\"");
        let padding = "y".repeat(bytes - head.len() - 2);
        Some(("application/json", format!("{head}{padding}\"}}").into_bytes()))
    };
    assert_eq!(api.raw(Method::POST, IMPORT, padded(BODY_MAX)).await.ok()["skipped"], 1);
    let refused = announce(deployment, BODY_MAX + 1);
    assert!(refused.starts_with("HTTP/1.1 413 ") && refused.contains("4194304"), "{refused}");
    assert!(deployment.audit("shield.import").await.is_empty());
}

/// The answer to a request's head that announces a body of this size.
fn announce(deployment: &Deployment, bytes: usize) -> String {
    let base = deployment.api_base(0);
    let address = base.strip_prefix("http://").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(SEEN_WITHIN)).unwrap();
    let key = &deployment.guild().admin_key;
    let head =
        format!("POST {IMPORT} HTTP/1.1\r\nhost: {address}\r\nx-api-key: {key}\r\nconnection: close\r\n");
    stream.write_all(format!("{head}content-length: {bytes}\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

async fn flags_are_set_and_lifted_by_command(deployment: &Deployment) {
    let (guild, member) = (deployment.guild(), &deployment.guild().members[8]);
    let play = member.play.to_string();
    deployment.becomes_flagged(member.play, false).await;
    let flag = [
        "shield",
        "flag",
        &play,
        "--reason",
        "by hand",
        "--by",
        &guild.members[0].chat,
        "--guild",
        &guild.id,
    ];
    deployment.command(&flag).await.succeeded();
    deployment.becomes_flagged(member.play, true).await;
    let data = deployment.check(member.play).await;
    assert_eq!((&data["flag"]["source"], &data["flag"]["reason"]), (&json!("manual"), &json!("by hand")));
    assert_eq!(data["flag"]["play_username"], member.name.as_str(), "the name of the link");
    assert!(deployment.command(&flag).await.refused().contains("flagged already"));
    let list = deployment.command(&["shield", "list"]).await.succeeded();
    assert!(list.contains(&play) && list.contains("by hand"), "{list}");

    let lift = ["shield", "lift", &play, "--reason", "appeal"];
    deployment.command(&lift).await.succeeded();
    deployment.becomes_flagged(member.play, false).await;
    assert!(deployment.command(&lift).await.refused().contains("not flagged"));
    let list = deployment.command(&["shield", "list", "--lifted"]).await.succeeded();
    assert!(list.contains(&play), "{list}");
    for (action, field, value) in
        [("shield.flag", "flagged_by", guild.members[0].chat.as_str()), ("shield.lift", "reason", "appeal")]
    {
        let entry = &deployment.audit(action).await[0];
        assert_eq!(
            (&entry["target_id"], &entry["metadata"][field]),
            (&json!(play), &json!(value)),
            "{entry}"
        );
    }
    // A lifted flag can be set again.
    assert_eq!(deployment.import(&[(member.play, "again")]).await.ok()["imported"], 1);
}

async fn a_seed_sets_the_flags_of_its_fixture(deployment: &Deployment) {
    let mut fixture = deployment.fixture.json();
    let flag = |play: i64| {
        json!({ "play_id": play, "play_username": format!("flagged_{play}"), "reason": "exploiting",
                "source": "manual", "flagged_by": "1", "flagged_at": "2026-06-01T00:00:00Z" })
    };
    fixture["shield"] = json!([flag(30_000_000), flag(30_000_001)]);
    std::fs::write(deployment.folder().join("flags.json"), fixture.to_string()).unwrap();
    let said = deployment.command(&["seed", "flags.json"]).await.succeeded();
    assert!(said.contains("2 Shield flags (2 new)"), "{said}");
    deployment.becomes_flagged(30_000_001, true).await;
    assert_eq!(deployment.check(30_000_000).await["flag"]["flagged_by"], "1");
    // A second seed sets no flag again, not even a lifted one.
    deployment.command(&["shield", "lift", "30000000", "--reason", "appeal"]).await.succeeded();
    let said = deployment.command(&["seed", "flags.json"]).await.succeeded();
    assert!(said.starts_with("nothing new"), "{said}");
    deployment.becomes_flagged(30_000_000, false).await;
}
