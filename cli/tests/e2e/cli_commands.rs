//! Operator commands while the service runs: seed, keys, links, jobs.

use std::process::Stdio;

use serde_json::{Value, json};

use testkit::{Deployment, FELT, Mode, both_modes, eventually, in_turn};

both_modes!(
    a_second_seed_changes_nothing(own),
    a_link_import_is_all_or_nothing,
    a_key_that_cannot_be_printed_is_not_created,
    jobs_are_listed_shown_cancelled_and_retried(own),
    one_serve_at_a_time_uses_a_data_folder(own),
);

in_turn!(
    a_malformed_fixture_changes_nothing,
    wrong_arguments_create_no_key,
    a_key_for_a_program_has_no_scope_that_the_program_does_not_need,
);

/// The seeded data, as far as the guilds' keys can read it.
async fn picture(deployment: &Deployment) -> Vec<Value> {
    let mut seen = Vec::new();
    for guild in &deployment.fixture.guilds {
        let api = deployment.api().key(&guild.admin_key);
        seen.push(api.get(&format!("/guilds/{}/members", guild.id)).await.ok());
        seen.push(api.get(&format!("/guilds/{}/settings", guild.id)).await.ok());
        seen.push(api.get("/bindings/list").await.ok());
        seen.push(api.get(&format!("/staff/members/{}", guild.id)).await.ok());
    }
    seen
}

async fn a_second_seed_changes_nothing(deployment: &Deployment) {
    let before = picture(deployment).await;
    deployment.command(&["seed", "fixture.json"]).await.succeeded();
    assert_eq!(picture(deployment).await, before);
    let keys = deployment.command(&["keys", "list"]).await.succeeded();
    assert_eq!(keys.matches("dashboard").count(), 2, "{keys}");
    // A second seed keeps later changes, and does not apply a changed fixture to existing rows.
    let guild = deployment.guild();
    let settings = format!("/guilds/{}/settings", guild.id);
    deployment.api().patch(&settings, json!({ "strike_days": 7, "nickname_template": "" })).await.ok();
    deployment.command(&["shield", "allow", &deployment.other_guild().id]).await.succeeded();
    deployment.command(&["shield", "disallow", &guild.id]).await.succeeded();
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
    deployment.command(&role).await.succeeded();
    let member = guild.members[0].chat.as_str();
    let staff = ["staff", "members", "set", member, "--role", &guild.roles[3], "--guild", &guild.id];
    deployment.command(&staff).await.succeeded();
    let relinked = format!("chat_id,play_id,play_username\n{member},987654321,renamed\n");
    std::fs::write(deployment.folder().join("relink.csv"), relinked).unwrap();
    deployment.command(&["links", "import", "relink.csv", "--guild", &guild.id]).await.succeeded();
    let before = deployment.rows(None).await;
    let mut fixture = deployment.fixture.json();
    fixture["guilds"][0]["settings"]["time_zone"] = json!("Europe/Berlin");
    fixture["guilds"][0]["name"] = json!("renamed");
    fixture["guilds"][0]["links"][1]["play_username"] = json!("renamed");
    for seeded in [deployment.fixture.json(), fixture] {
        std::fs::write(deployment.folder().join("again.json"), seeded.to_string()).unwrap();
        let output = deployment.command(&["seed", "again.json"]).await.succeeded();
        assert!(output.starts_with("nothing new"), "{output}");
        assert_eq!(deployment.rows(None).await, before);
    }
}

async fn a_malformed_fixture_changes_nothing(deployment: &Deployment) {
    let before = picture(deployment).await;
    let change = |pointer: &str, value: Value| {
        let mut fixture = deployment.fixture.json();
        *fixture.pointer_mut("/guilds/0/links/0/play_username").unwrap() = json!("renamed");
        *fixture.pointer_mut(pointer).unwrap() = value;
        fixture.to_string()
    };
    let whole = deployment.fixture.json().to_string();
    for (text, words) in [
        (whole[..whole.len() / 2].to_owned(), vec!["bad.json", "line"]),
        ("[]".to_owned(), vec!["bad.json"]),
        (change("/guilds/1/links/7/chat_id", json!("x7")), vec!["chat_id"]),
        (change("/guilds/1/bindings/2/rank", json!(256)), vec!["rank", "256"]),
        (change("/guilds/1/keys/0/text", json!("gh_x")), vec!["key"]),
        (
            change("/guilds/1/links/3/play_id", json!(deployment.other_guild().members[4].play)),
            vec!["play_id"],
        ),
        (change("/guilds/1/guild_id", json!("-7")), vec!["guild_id"]),
    ] {
        std::fs::write(deployment.folder().join("bad.json"), text).unwrap();
        let message = deployment.command(&["seed", "bad.json"]).await.refused();
        for word in words {
            assert!(message.contains(word), "no {word} in: {message}");
        }
    }
    assert!(deployment.command(&["seed", "missing.json"]).await.refused().contains("missing.json"));
    assert_eq!(picture(deployment).await, before);
}

async fn a_link_import_is_all_or_nothing(deployment: &Deployment) {
    let guild = deployment.guild();
    let import = async |text: &str| {
        std::fs::write(deployment.folder().join("links.csv"), text).unwrap();
        deployment.command(&["links", "import", "links.csv", "--guild", &guild.id]).await
    };
    let total =
        async || deployment.api().get(&format!("/guilds/{}/members", guild.id)).await.ok()["total"].clone();
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
        ("chat,play\n1,2\n".to_owned(), ["line 1", "Discord ids"]),
    ] {
        let message = import(&bad).await.refused();
        assert!(words.iter().all(|word| message.contains(word)), "{words:?} in: {message}");
    }
    assert_eq!(total().await, 30);
    import(&good).await.succeeded();
    let found = eventually("the cached answer \"not linked\" is dropped", FELT, async || {
        let answer = deployment.api().get("/lookup/chat/1500000000000000002").await;
        (answer.status == 200).then(|| answer.ok())
    })
    .await;
    assert_eq!((&found["play_id"], &found["verified_at"]), (&json!(502), &json!("2026-01-02T02:04:05Z")));
    import(&good).await.succeeded();
    eventually("both are counted", FELT, async || (total().await == 32).then_some(())).await;
    let unknown = ["links", "import", "links.csv", "--guild", "7123"];
    assert!(deployment.command(&unknown).await.refused().contains("7123"));
}

async fn wrong_arguments_create_no_key(deployment: &Deployment) {
    let guild = deployment.guild().id.as_str();
    for args in [
        &["keys", "create", "--guild", "7123", "--name", "n", "--owner", "1"][..],
        &["keys", "create", "--guild", guild, "--name", "", "--owner", "1"],
        &["keys", "create", "--guild", guild, "--name", "n", "--owner", "x"],
        &["keys", "create", "--guild", guild, "--name", "n", "--owner", "1", "--scopes", "root"],
    ] {
        let finished = deployment.command(args).await;
        assert!(finished.code != Some(0) && !finished.stderr.is_empty(), "{finished:?}");
    }
}

async fn a_key_that_cannot_be_printed_is_not_created(deployment: &Deployment) {
    let guild = deployment.guild().id.as_str();
    let args = ["keys", "create", "--guild", guild, "--name", "unseen", "--owner", "1", "--for", "game"];
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let closed_pipe = || Stdio::from(std::io::pipe().unwrap().1);
    for stdout in [full(), closed_pipe(), Stdio::null()] {
        let output = deployment.command_into(&args, stdout).await.refused();
        assert!(output.contains("no key was made"), "{output}");
    }
    let listed = deployment.command(&["keys", "list"]).await.succeeded();
    assert!(!listed.contains("unseen"), "{listed}");
    assert!(deployment.audit("keys.create").await.is_empty());
    // With an output to print it on, the key is created.
    let key = deployment.command(&args).await.succeeded();
    let api = deployment.api().key(key.trim());
    api.get("/bindings/list").await.ok();
    api.post("/interactions/sync", json!({ "user_id": "5" })).await.refused(403, &["`sync`"]);
    for wrong in [["--for", "toaster"], ["--scopes", "read"]] {
        let args: Vec<&str> = args.iter().copied().chain(wrong).collect();
        assert_eq!(deployment.command(&args).await.code, Some(2), "{wrong:?}");
    }
}

async fn a_key_for_a_program_has_no_scope_that_the_program_does_not_need(deployment: &Deployment) {
    let guild = deployment.guild();
    let settings = format!("/guilds/{}/settings", guild.id);
    let calls = [
        ("moderation", format!("/moderation/{}/play/unban", guild.id)),
        ("staff", format!("/guilds/{}/staff/loa/expire", guild.id)),
        ("play", "/play/servers/heartbeat".to_owned()),
        ("sync", "/interactions/sync".to_owned()),
        ("shield", "/shield/import".to_owned()),
    ];
    for (caller, scopes) in [
        ("game", ["moderation", "play"].as_slice()),
        ("dashboard", &["moderation", "staff", "sync", "shield"]),
        ("bot", &["moderation", "staff", "sync"]),
    ] {
        let args =
            ["keys", "create", "--guild", &guild.id, "--name", caller, "--owner", "1", "--for", caller];
        let key = deployment.command(&args).await.succeeded();
        let api = deployment.api().key(key.trim());
        api.get("/bindings/list").await.ok();
        api.get(&settings).await.refused(403, &["`admin`"]);
        for (scope, path) in &calls {
            let answer = api.post(path, json!({})).await;
            let refused = answer.status == 403 && answer.message().contains(&format!("`{scope}`"));
            assert_eq!(refused, !scopes.contains(scope), "{caller} {scope}: {answer}");
        }
    }
}

async fn jobs_are_listed_shown_cancelled_and_retried(deployment: &Deployment) {
    let (api, member) = (deployment.api().header("prefer", "respond-async"), deployment.guild().lacking());
    deployment.fault(json!({ "route": "*", "status": 500, "count": 1000 })).await;
    let sync = json!({ "user_id": member.chat });
    let answer = api.post("/interactions/sync", sync).await;
    let job = answer.body["data"]["job_id"].as_str().unwrap();
    deployment.command(&["jobs", "cancel", job]).await.succeeded();
    assert_eq!(deployment.job_ended(job).await["state"], "cancelled");
    deployment.command(&["jobs", "cancel", job]).await.refused();
    deployment.command(&["jobs", "retry", job]).await.refused();
    deployment.clear_faults().await;

    // A 400 of the platform is not retried; the operator can run the failed job again.
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    deployment.fault(json!({ "route": route, "status": 400, "count": 1 })).await;
    let answer = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
    let failed = answer.body["data"]["job_id"].as_str().unwrap();
    assert_eq!(deployment.job_ended(failed).await["state"], "failed");
    let listed = deployment.command(&["jobs", "list", "--state", "failed"]).await.succeeded();
    assert!(listed.contains(failed) && !listed.contains(job), "{listed}");
    let shown = deployment.command(&["jobs", "show", failed]).await.succeeded();
    assert!(shown.contains("sync_member") && shown.contains(&deployment.guild().id), "{shown}");
    deployment.command(&["jobs", "retry", failed]).await.succeeded();
    assert_eq!(deployment.job_ended(failed).await["state"], "succeeded");
    assert!(deployment.simulator.is_right(deployment.guild(), member).await);
    let unknown = ["jobs", "show", "01900000-0000-7000-8000-000000000000"];
    assert!(deployment.command(&unknown).await.refused().contains("no job"));
}

async fn one_serve_at_a_time_uses_a_data_folder(deployment: &Deployment) {
    if deployment.mode() == Mode::Distributed {
        // Several processes may share Postgres: a second api starts.
        let api = deployment.spawn("api");
        deployment.roles().apis.push(api);
        deployment.wait_until_ready().await;
        deployment.api_number(1).get("/bindings/list").await.ok();
        return;
    }
    let mut env = deployment.env.clone();
    env.push(("GUILDHALL_LISTEN".to_owned(), "127.0.0.1:0".to_owned()));
    let message = testkit::run_command(&["serve"], &env, deployment.folder()).await.refused();
    assert!(message.contains("in use by another `guildhall serve`"), "{message}");
    deployment.api().get("/bindings/list").await.ok();
}
