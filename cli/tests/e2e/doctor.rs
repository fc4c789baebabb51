//! `guildhall doctor`: its checks and fixes, and the errors of syncs without the members intent.

mod application;

use std::fmt::Display;

use serde_json::{Value, json};

use testkit::{
    Deployment, Finished, Mode, Process, both_modes, eventually, free_address, http_client, run_command,
};

both_modes!(
    a_sound_deployment_passes_every_check(own),
    failed_checks_name_their_cure,
    missing_permissions_are_named(own),
    a_missing_members_intent_is_named_by_doctor_and_syncs(own),
);

const NONE: &[(&str, &str)] = &[];

/// The exit code and the checks of `doctor --json`.
async fn examined(deployment: &Deployment, more: &[&str]) -> (i32, Vec<Value>) {
    examined_with(deployment, NONE, more).await
}

async fn run(deployment: &Deployment, variables: &[(impl Display, impl Display)], args: &[&str]) -> Finished {
    let variables = variables.iter().map(|(name, value)| (format!("GUILDHALL_{name}"), value.to_string()));
    let env: Vec<_> = deployment.env.iter().cloned().chain(variables).collect();
    run_command(args, &env, deployment.folder()).await
}

/// With these variables in the environment.
async fn examined_with(
    deployment: &Deployment,
    secrets: &[(impl Display, impl Display)],
    more: &[&str],
) -> (i32, Vec<Value>) {
    let finished = run(deployment, secrets, &[&["doctor", "--json"], more].concat()).await;
    let said: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished:?}"));
    let checks = said["checks"].as_array().unwrap().clone();
    let failed = checks.iter().filter(|check| check["ok"] == false).count();
    assert_eq!(said["ok"], failed == 0, "{said}");
    (finished.code.unwrap(), checks)
}

/// The failed check of that name, which must have a fix.
fn failed<'a>(checks: &'a [Value], name: &str) -> &'a Value {
    let check = checks.iter().find(|check| check["name"] == name && check["ok"] == false);
    let check = check.unwrap_or_else(|| panic!("{name} did not fail: {checks:?}"));
    assert!(check["cure"].as_str().is_some_and(|cure| !cure.is_empty()), "{check}");
    check
}

fn assert_says(check: &Value, words: &[&str]) {
    let said = format!("{} {}", check["detail"], check["cure"]);
    assert!(words.iter().all(|word| said.contains(word)), "{words:?} are not in {said}");
}

async fn a_sound_deployment_passes_every_check(deployment: &Deployment) {
    let secrets = application::registered(deployment).await;
    let (code, checks) = examined_with(deployment, &secrets, &[]).await;
    assert_eq!(code, 0, "{checks:?}");
    let of = |name: &str| checks.iter().filter(|check| check["name"] == name).count();
    for once in [
        "configuration",
        "proxies",
        "database",
        "schema",
        "processes",
        "guilds",
        "chat token",
        "intents",
        "play key",
    ]
    .into_iter()
    .chain(["public url", "chat clock", "public key", "interactions", "commands", "redirects"])
    {
        assert_eq!(of(once), 1, "{once}: {checks:?}");
    }
    for each in ["bot", "members intent", "permissions", "bound roles", "link ways"] {
        assert_eq!(of(each), 2, "{each}: {checks:?}");
    }
    let servers = usize::from(deployment.mode() == Mode::Distributed);
    for server in ["rabbitmq", "redis", "database clock", "redis clock"] {
        assert_eq!(of(server), servers, "{server}");
    }
    let (_, one) = examined(deployment, &["--guild", &deployment.guild().id]).await;
    let guilds: Vec<&Value> =
        one.iter().filter_map(|check| check.get("guild_id")).filter(|id| !id.is_null()).collect();
    assert!(!guilds.is_empty() && guilds.iter().all(|id| **id == deployment.guild().id.as_str()), "{one:?}");

    let lines = run(deployment, &secrets, &["doctor"]).await.succeeded();
    assert_eq!(lines.lines().count(), checks.len() + 1, "{lines}");
    assert!(!lines.contains("failed"), "{lines}");
    assert_eq!(deployment.member_updates().await, 0);
    if deployment.mode() == Mode::Distributed {
        let skewed = "CREATE OR REPLACE FUNCTION queue_now() RETURNS timestamptz LANGUAGE sql STABLE
                      AS $$SELECT statement_timestamp() - interval '90 seconds'$$";
        deployment.execute(skewed).await;
        let (code, checks) = examined(deployment, &[]).await;
        assert_eq!(code, 1);
        assert_says(failed(&checks, "database clock"), &["Postgres", " s behind", "NTP"]);
    }
}

async fn failed_checks_name_their_cure(deployment: &Deployment) {
    let (code, checks) = examined_with(deployment, &[("CHAT_TOKEN", ""), ("PLAY_KEY", "")], &[]).await;
    assert_eq!(code, 1);
    assert_says(failed(&checks, "chat token"), &["GUILDHALL_CHAT_TOKEN"]);
    assert_says(failed(&checks, "play key"), &["GUILDHALL_PLAY_KEY"]);
    let (_, checks) = examined(deployment, &["--trusted-proxies", "10.0.0.0/8,0.0.0.0/0"]).await;
    assert_says(failed(&checks, "proxies"), &["0.0.0.0/0", "GUILDHALL_TRUSTED_PROXIES"]);
    let (_, checks) = examined(deployment, &["--trusted-proxies", "10.0.0.0/8"]).await;
    assert_says(failed(&checks, "proxies"), &["127.0.0.1:8080", "GUILDHALL_LISTEN"]);
    let (_, checks) = examined(deployment, &["--guild", "3"]).await;
    assert_says(failed(&checks, "guilds"), &["guildhall guilds add 3"]);
    let (_, checks) = examined(deployment, &["--chat-api-url", "http://127.0.0.1:1"]).await;
    assert_says(failed(&checks, "chat token"), &["no connection"]);
    if deployment.mode() == Mode::Distributed {
        let unreachable = [("AMQP_URL", "amqp://127.0.0.1:1/%2f"), ("REDIS_URL", "redis://127.0.0.1:1/0")];
        let (_, checks) = examined_with(deployment, &unreachable, &[]).await;
        failed(&checks, "rabbitmq");
        failed(&checks, "redis");
        let (_, checks) = examined_with(deployment, &[("REDIS_URL", "")], &[]).await;
        assert_says(failed(&checks, "configuration"), &["GUILDHALL_REDIS_URL"]);
        assert_eq!(checks.len(), 1);
    } else {
        let (_, checks) = examined(deployment, &["--data-dir", "nowhere"]).await;
        assert_says(failed(&checks, "database"), &["nowhere", "guildhall serve"]);
        assert!(!deployment.folder().join("nowhere").exists(), "doctor created a database");
    }
    let lines = deployment.command(&["doctor", "--guild", "3"]).await;
    assert_eq!(lines.code, Some(1));
    assert!(lines.stderr.contains("1 of") && lines.stdout.contains("cure: "), "{lines:?}");
}

/// A second simulator, whose bot has few permissions and a token of its own.
async fn missing_permissions_are_named(deployment: &Deployment) {
    let mut fixture = deployment.fixture.json();
    let (guild, bot, bound) =
        (deployment.guild(), &deployment.guild().bot_role, &deployment.guild().roles[1]);
    fixture["chat"]["guilds"].as_array_mut().unwrap().truncate(1);
    for role in fixture["chat"]["guilds"][0]["roles"].as_array_mut().unwrap() {
        if role["id"] == bot.as_str() {
            // Ban Members and Manage Roles.
            role["permissions"] = json!((1 << 2 | 1 << 28).to_string());
        } else if role["id"] == bound.as_str() {
            role["position"] = json!(15);
        } else if role["id"] == guild.roles[2].as_str() {
            // Administrator.
            role["permissions"] = json!((1 << 3).to_string());
        }
    }
    std::fs::write(deployment.folder().join("poor.json"), fixture.to_string()).unwrap();
    let address = free_address();
    let args = [
        "simulate",
        "--listen",
        &address,
        "--state",
        "poor.json",
        "--chat-token",
        "right",
        "--play-key",
        "right",
    ];
    let _simulator = Process::spawn("simulate", &args, &[], deployment.folder());
    let url = format!("http://{address}");
    eventually("the simulator answers", std::time::Duration::from_secs(20), async || {
        http_client().get(format!("{url}/control/stats")).send().await.ok().map(drop)
    })
    .await;

    let there = ["--chat-api-url", &url, "--play-api-url", &url];
    let (_, checks) =
        examined_with(deployment, &[("CHAT_TOKEN", "wrong"), ("PLAY_KEY", "wrong")], &there).await;
    assert_says(failed(&checks, "chat token"), &["GUILDHALL_CHAT_TOKEN"]);
    assert_says(failed(&checks, "play key"), &["GUILDHALL_PLAY_KEY"]);
    assert!(checks.iter().all(|check| check["name"] != "bot"), "guilds were queried with a wrong token");

    let (code, checks) =
        examined_with(deployment, &[("CHAT_TOKEN", "right"), ("PLAY_KEY", "right")], &there).await;
    assert_eq!(code, 1);
    let permissions = failed(&checks, "permissions");
    assert_says(permissions, &["Manage Nicknames", "Manage Channels"]);
    assert!(!permissions["cure"].as_str().unwrap().contains("Manage Roles"), "{permissions}");
    let roles = failed(&checks, "bound roles");
    assert_says(roles, &[bound, "above"]);
    assert_says(roles, &[&guild.roles[2], "Administrator", "allowed_privileged_roles"]);
    let interactions = failed(&checks, "interactions");
    assert_says(interactions, &["commands do not arrive", "GUILDHALL_PUBLIC_URL", "/chat/interactions"]);
    // The second simulator does not have the other guild.
    let absent = failed(&checks, "bot");
    assert_eq!(absent["guild_id"], deployment.other_guild().id.as_str());
    assert_ne!(absent["guild_id"], guild.id.as_str());
}

async fn a_missing_members_intent_is_named_by_doctor_and_syncs(deployment: &Deployment) {
    deployment.simulator.set_members_intent(false).await;
    let (code, checks) = examined(deployment, &["--guild", &deployment.guild().id]).await;
    assert_eq!(code, 1);
    for check in ["intents", "members intent"] {
        assert_says(failed(&checks, check), &["Server Members Intent", "developer portal"]);
    }

    let body = json!({ "guild_id": deployment.guild().id });
    let job = deployment.api().post("/interactions/sync/all", body).await.ok();
    let ended = deployment.job_ended(job["job_id"].as_str().unwrap()).await;
    assert_eq!(
        (&ended["state"], &ended["error"]["error"]),
        (&json!("failed"), &json!("members_intent_off")),
        "{ended}"
    );
    assert!(ended["error"]["message"].as_str().unwrap().contains("Server Members Intent"), "{ended}");

    // The platform refuses a single member as well.
    let hidden =
        json!({ "route": "GET /guilds/:guild/members/:user", "status": 403, "code": 50001, "count": 9 });
    deployment.fault(hidden).await;
    let member = json!({ "user_id": deployment.guild().members[0].chat });
    let refused = deployment.api().post("/interactions/sync", member).await;
    assert_eq!((refused.status, refused.error()), (502, "members_intent_off"), "{refused}");
    assert!(refused.body["message"].as_str().unwrap().contains("Server Members Intent"), "{refused}");
    deployment.clear_faults().await;
    deployment.simulator.set_members_intent(true).await;
}
