//! Commands of the operator beside running processes: seed, keys, links, jobs.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Mode, World, both_modes};

both_modes!(
    seeding_twice_is_the_same_as_once,
    a_malformed_fixture_changes_nothing,
    links_are_imported_all_or_none,
    keys_are_made_and_revoked,
    a_key_that_cannot_be_shown_is_not_made,
    jobs_are_listed_shown_cancelled_and_retried,
    the_folder_belongs_to_one_serve,
);

/// All that a guild's key can read of what seeding writes.
async fn picture(world: &World) -> Vec<Value> {
    let mut seen = Vec::new();
    for guild in &world.fixture.guilds {
        let api = world.api().key(&guild.admin_key);
        seen.push(api.get(&format!("/guilds/{}/members", guild.id)).await.ok());
        seen.push(api.get(&format!("/guilds/{}/settings", guild.id)).await.ok());
        seen.push(api.get("/bindings/list").await.ok());
        seen.push(api.get(&format!("/staff/members/{}", guild.id)).await.ok());
    }
    seen
}

async fn seeding_twice_is_the_same_as_once(world: &World) {
    let before = picture(world).await;
    world.command(&["seed", "fixture.json"]).await.succeeded();
    assert_eq!(picture(world).await, before);
    let keys = world.command(&["keys", "list"]).await.succeeded();
    assert_eq!(keys.matches("dashboard").count(), 2, "{keys}");
    // Whatever was changed since stays, and a changed fixture changes nothing that is there.
    let guild = world.guild();
    let settings = format!("/guilds/{}/settings", guild.id);
    world.api().patch(&settings, json!({ "strike_days": 7, "nickname_template": "" })).await.ok();
    world.command(&["shield", "allow", &world.other_guild().id]).await.succeeded();
    world.command(&["shield", "disallow", &guild.id]).await.succeeded();
    let role = [
        "staff",
        "roles",
        "set",
        &guild.high_role,
        "--name",
        "Boss",
        "--permissions",
        "",
        "--guild",
        &guild.id,
    ];
    world.command(&role).await.succeeded();
    let member = guild.members[0].chat.as_str();
    let staff = ["staff", "members", "set", member, "--role", &guild.roles[3], "--guild", &guild.id];
    world.command(&staff).await.succeeded();
    let relinked = format!("chat_id,play_id,play_username\n{member},987654321,renamed\n");
    std::fs::write(world.folder().join("relink.csv"), relinked).unwrap();
    world.command(&["links", "import", "relink.csv", "--guild", &guild.id]).await.succeeded();
    let before = world.rows(None).await;
    let mut fixture = world.fixture.json();
    fixture["guilds"][0]["settings"]["time_zone"] = json!("Europe/Berlin");
    fixture["guilds"][0]["name"] = json!("renamed");
    fixture["guilds"][0]["links"][1]["play_username"] = json!("renamed");
    for seeded in [world.fixture.json(), fixture] {
        std::fs::write(world.folder().join("again.json"), seeded.to_string()).unwrap();
        let told = world.command(&["seed", "again.json"]).await.succeeded();
        assert!(told.starts_with("nothing new"), "{told}");
        assert_eq!(world.rows(None).await, before);
    }
}

async fn a_malformed_fixture_changes_nothing(world: &World) {
    let before = picture(world).await;
    let change = |pointer: &str, value: Value| {
        let mut fixture = world.fixture.json();
        *fixture.pointer_mut("/guilds/0/links/0/play_username").unwrap() = json!("renamed");
        *fixture.pointer_mut(pointer).unwrap() = value;
        fixture.to_string()
    };
    let whole = world.fixture.json().to_string();
    for (text, words) in [
        (whole[..whole.len() / 2].to_owned(), vec!["bad.json", "line"]),
        ("[]".to_owned(), vec!["bad.json"]),
        (change("/guilds/1/links/7/chat_id", json!("x7")), vec!["chat_id"]),
        (change("/guilds/1/bindings/2/rank", json!(256)), vec!["rank", "256"]),
        (change("/guilds/1/keys/0/text", json!("gh_x")), vec!["key"]),
        (change("/guilds/1/links/3/play_id", json!(world.other_guild().members[4].play)), vec!["play_id"]),
        (change("/guilds/1/guild_id", json!("-7")), vec!["guild_id"]),
    ] {
        std::fs::write(world.folder().join("bad.json"), text).unwrap();
        let message = world.command(&["seed", "bad.json"]).await.refused();
        for word in words {
            assert!(message.contains(word), "no {word} in: {message}");
        }
    }
    assert!(world.command(&["seed", "missing.json"]).await.refused().contains("missing.json"));
    assert_eq!(picture(world).await, before);
}

async fn links_are_imported_all_or_none(world: &World) {
    let guild = world.guild();
    let import = async |text: &str| {
        std::fs::write(world.folder().join("links.csv"), text).unwrap();
        world.command(&["links", "import", "links.csv", "--guild", &guild.id]).await
    };
    let total =
        async || world.api().get(&format!("/guilds/{}/members", guild.id)).await.ok()["total"].clone();
    let head = "chat_id,play_id,play_username,verified_at\n";
    let good = format!(
        "{head}1500000000000000001,501,first,\n1500000000000000002,502,second,2026-01-02T03:04:05+01:00\n"
    );
    for (bad, words) in [
        (format!("{good}x,503,third,\n"), ["line 4", "chat_id"]),
        (format!("{good}1500000000000000003,0,third,\n"), ["line 4", "play_id"]),
        (format!("{good}1500000000000000003,503,,\n"), ["line 4", "play_username"]),
        (format!("{good}1500000000000000003,503,third\n"), ["line 4", "columns"]),
        (format!("{good}1500000000000000001,503,again,\n"), ["line 4", "second time"]),
        (
            format!("{good}1500000000000000003,{},taken,\n", guild.members[0].play),
            ["line 4", "already linked"],
        ),
        ("chat,play\n1,2\n".to_owned(), ["line 1", "chat_id"]),
    ] {
        let message = import(&bad).await.refused();
        assert!(words.iter().all(|word| message.contains(word)), "{words:?} in: {message}");
    }
    assert_eq!(total().await, 30);
    import(&good).await.succeeded();
    // A lookup that was answered "not linked" before hears of it.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let found = world.api().get("/lookup/chat/1500000000000000002").await.ok();
    assert_eq!((&found["play_id"], &found["verified_at"]), (&json!(502), &json!("2026-01-02T02:04:05Z")));
    import(&good).await.succeeded();
    assert_eq!(total().await, 32);
    let unknown = ["links", "import", "links.csv", "--guild", "7123"];
    assert!(world.command(&unknown).await.refused().contains("7123"));
}

async fn keys_are_made_and_revoked(world: &World) {
    let key = world.new_key("read").await;
    world.api().key(&key).get("/bindings/list").await.ok();
    let entries = world.audit("keys.create").await;
    assert_eq!(entries[0]["target_id"], key[3..11]);
    assert!(!entries[0].to_string().contains(&key[12..]), "the audit log shows a secret");
    world.command(&["keys", "revoke", &key]).await.succeeded();
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.api().key(&key).get("/bindings/list").await.refused(401, &[]);
    assert_eq!(world.audit("keys.revoke").await[0]["target_id"], key[3..11]);
    let guild = world.guild().id.as_str();
    for args in [
        &["keys", "revoke", "nobody00"][..],
        &["keys", "create", "--guild", "7123", "--name", "n", "--owner", "1"],
        &["keys", "create", "--guild", guild, "--name", "", "--owner", "1"],
        &["keys", "create", "--guild", guild, "--name", "n", "--owner", "x"],
        &["keys", "create", "--guild", guild, "--name", "n", "--owner", "1", "--scopes", "root"],
    ] {
        let finished = world.command(args).await;
        assert!(finished.code != Some(0) && !finished.stderr.is_empty(), "{finished:?}");
    }
}

async fn a_key_that_cannot_be_shown_is_not_made(world: &World) {
    let guild = world.guild().id.as_str();
    let args = ["keys", "create", "--guild", guild, "--name", "unseen", "--owner", "1", "--for", "game"];
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let closed_pipe = || Stdio::from(std::io::pipe().unwrap().1);
    for stdout in [full(), closed_pipe(), Stdio::null()] {
        let told = world.command_into(&args, stdout).await.refused();
        assert!(told.contains("no key was made"), "{told}");
    }
    let listed = world.command(&["keys", "list"]).await.succeeded();
    assert!(!listed.contains("unseen"), "{listed}");
    assert!(world.audit("keys.create").await.is_empty());
    // Shown, it is made, with the scopes of its caller.
    let key = world.command(&args).await.succeeded();
    let api = world.api().key(key.trim());
    api.get("/bindings/list").await.ok();
    api.post("/interactions/sync", json!({ "user_id": "5" })).await.refused(403, &["`sync`"]);
    for wrong in [["--for", "toaster"], ["--scopes", "read"]] {
        let args: Vec<&str> = args.iter().copied().chain(wrong).collect();
        assert_eq!(world.command(&args).await.code, Some(2), "{wrong:?}");
    }
}

async fn jobs_are_listed_shown_cancelled_and_retried(world: &World) {
    let (api, member) = (world.api().header("prefer", "respond-async"), world.guild().lacking());
    world.simulator.fault(json!({ "route": "*", "status": 500, "count": 1000 })).await;
    let sync = json!({ "user_id": member.chat });
    let answer = api.post("/interactions/sync", sync).await;
    let job = answer.body["data"]["job_id"].as_str().unwrap();
    world.command(&["jobs", "cancel", job]).await.succeeded();
    assert_eq!(world.job_ended(job).await["state"], "cancelled");
    world.command(&["jobs", "cancel", job]).await.refused();
    world.command(&["jobs", "retry", job]).await.refused();
    world.simulator.clear_faults().await;

    // A role the platform no longer has fails for good; once it is mended, the job can be run again.
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    world.simulator.fault(json!({ "route": route, "status": 400, "count": 1 })).await;
    let answer = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
    let failed = answer.body["data"]["job_id"].as_str().unwrap();
    assert_eq!(world.job_ended(failed).await["state"], "failed");
    let listed = world.command(&["jobs", "list", "--state", "failed"]).await.succeeded();
    assert!(listed.contains(failed) && !listed.contains(job), "{listed}");
    let shown = world.command(&["jobs", "show", failed]).await.succeeded();
    assert!(shown.contains("sync_member") && shown.contains(&world.guild().id), "{shown}");
    world.command(&["jobs", "retry", failed]).await.succeeded();
    assert_eq!(world.job_ended(failed).await["state"], "succeeded");
    assert!(world.simulator.is_right(world.guild(), member).await);
    let unknown = ["jobs", "show", "01900000-0000-7000-8000-000000000000"];
    assert!(world.command(&unknown).await.refused().contains("no job"));
}

async fn the_folder_belongs_to_one_serve(world: &World) {
    if world.mode() == Mode::Distributed {
        // Any number of processes share Postgres: another api starts beside the first.
        let api = world.spawn("api");
        world.roles().apis.push(api);
        world.wait_until_ready().await;
        world.api_number(1).get("/bindings/list").await.ok();
        return;
    }
    let mut env = world.env.clone();
    env.push(("GUILDHALL_LISTEN".to_owned(), "127.0.0.1:0".to_owned()));
    let message = crate::harness::run_command(&["serve"], &env, world.folder()).await.refused();
    assert!(message.contains("in use by another `guildhall serve`"), "{message}");
    world.api().get("/bindings/list").await.ok();
}
