//! Settings from files and the environment, and those that are refused at the start.

use testkit::{Mode, Servers, Setup, TestDatabase, run};

use crate::start_errors::{assert_says, run as start};

#[tokio::test]
async fn a_variable_that_is_no_setting_is_refused_with_the_one_that_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    for command in [&["serve"][..], &["guilds", "list"]] {
        let misspelt = start(command, &[("GUILDHALL_DATABSE_URL", "x")], folder.path()).await;
        assert_says(misspelt, &["GUILDHALL_DATABSE_URL", "did you mean GUILDHALL_DATABASE_URL?"]);
    }
    assert_says(start(&["serve"], &[("GUILDHALL_SPEED", "9")], folder.path()).await, &["GUILDHALL_SPEED"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let env = [("GUILDHALL_SERVICE_HOST", "10.0.0.1"), ("GUILDHALL_PORT", "tcp://10.0.0.1:80")];
    start(&["guilds", "add", "7000000000000000000", "--name", "g"], &env, folder.path()).await.succeeded();
    start(&["--help"], &[("GUILDHALL_SPEED", "9")], folder.path()).await.succeeded();
}

#[tokio::test]
async fn a_secret_comes_from_a_file_or_a_variable_but_not_from_both() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    let path = file.to_str().unwrap();
    let from_file = [("GUILDHALL_DATABASE_URL_FILE", path)];
    assert_says(start(&["serve"], &from_file, folder.path()).await, &["GUILDHALL_DATABASE_URL_FILE", path]);
    std::fs::write(&file, " \n").unwrap();
    assert_says(start(&["serve"], &from_file, folder.path()).await, &[path, "empty"]);
    std::fs::write(&file, "mysql://ann:hunter2@db/hall\n").unwrap();
    let wrong = start(&["migrate"], &from_file, folder.path()).await;
    assert!(!wrong.stderr.contains("hunter2"), "{}", wrong.stderr);
    assert_says(wrong, &["GUILDHALL_DATABASE_URL_FILE is not"]);
    let database = format!("sqlite://{}/hall.db", folder.path().display());
    std::fs::write(&file, format!("{database}\n")).unwrap();
    let both = [from_file[0], ("GUILDHALL_DATABASE_URL", database.as_str())];
    assert_says(
        start(&["migrate"], &both, folder.path()).await,
        &["GUILDHALL_DATABASE_URL_FILE is set in two ways"],
    );
    start(&["migrate"], &[from_file[0], ("GUILDHALL_DATABASE_URL", "")], folder.path()).await.succeeded();
    assert!(folder.path().join("hall.db").exists());
    let help = start(&["migrate", "--help"], &from_file, folder.path()).await.succeeded();
    assert!(!help.contains("hall.db"), "{help}");
}

#[tokio::test]
async fn a_collector_that_cannot_be_one_is_refused_by_the_name_of_its_setting() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["serve", "api", "worker", "scheduler"] {
        let wrong = start(&[command], &[("GUILDHALL_OTLP_ENDPOINT", "collector:4317")], folder.path()).await;
        assert_says(wrong, &["GUILDHALL_OTLP_ENDPOINT is not", "http://collector:4318"]);
        let flag = start(&[command, "--otlp-endpoint", "grpc://collector"], &[], folder.path()).await;
        assert_says(flag, &["--otlp-endpoint is not"]);
    }
    let env = [("GUILDHALL_OTLP_ENDPOINT", "http://c"), ("OTEL_EXPORTER_OTLP_HEADERS", "hunter2")];
    let wrong = start(&["serve"], &env, folder.path()).await;
    assert!(!wrong.stderr.contains("hunter2"), "{}", wrong.stderr);
    assert_says(wrong, &["OTEL_EXPORTER_OTLP_HEADERS is not"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "files were left");
}

#[tokio::test]
async fn one_process_offers_no_servers_and_refuses_them() {
    let folder = tempfile::tempdir().unwrap();
    let help = start(&["serve", "--help"], &[], folder.path()).await.succeeded();
    for flag in ["--amqp-url-file", "--redis-url-file", "--prefix"] {
        assert!(!help.contains(flag), "{flag} in {help}");
    }
    for (variable, value) in [
        ("GUILDHALL_AMQP_URL", "amqp://h/%2f"),
        ("GUILDHALL_REDIS_URL", "redis://h/0"),
        ("GUILDHALL_REDIS_URL_FILE", "f"),
    ] {
        std::fs::write(folder.path().join("f"), "redis://h/0").unwrap();
        let refused = start(&["serve"], &[(variable, value)], folder.path()).await;
        assert_says(refused, &[variable.trim_end_matches("_FILE"), "guildhall api"]);
    }
}

#[tokio::test]
async fn wrong_credentials_for_the_broker_end_the_start_and_an_absent_broker_does_not() {
    let (folder, servers) = (tempfile::tempdir().unwrap(), Servers::from_env());
    let database = TestDatabase::on_server(&servers.database).await;
    let (scheme, rest) = servers.amqp.split_once("://").unwrap();
    let (_, host) = rest.split_once('@').unwrap();
    let env = |amqp| {
        [
            ("GUILDHALL_DATABASE_URL", database.url()),
            ("GUILDHALL_AMQP_URL", amqp),
            ("GUILDHALL_REDIS_URL", servers.redis.as_str()),
            ("GUILDHALL_PREFIX", "test-credentials"),
        ]
    };
    let wrong = format!("{scheme}://ann:hunter2@{host}");
    let no_host = servers.amqp.replace("%2f", "nowhere");
    for process in ["api", "worker", "scheduler"] {
        let refused = start(&[process], &env(&wrong), folder.path()).await;
        assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
        assert_says(refused, &["RabbitMQ", "refused the credentials", "GUILDHALL_AMQP_URL"]);
        assert_says(
            start(&[process], &env(&no_host), folder.path()).await,
            &["nowhere", "GUILDHALL_AMQP_URL"],
        );
    }
}

#[test]
fn a_process_starts_without_its_broker() {
    run(Setup::new(Mode::Distributed), async |deployment| {
        let absent = [("GUILDHALL_AMQP_URL", "amqp://a:b@127.0.0.1:1/%2f")];
        let api = deployment.spawn_with("api", &absent);
        let url = format!("{}/health/ready", api.base);
        let what = "an API process without a broker is ready";
        testkit::eventually(what, std::time::Duration::from_secs(20), async || {
            let report: serde_json::Value =
                testkit::http_client().get(&url).send().await.ok()?.json().await.ok()?;
            (report["status"] == "ready" && report["dependencies"]["broker"] == "down").then_some(())
        })
        .await;
    });
}

#[test]
fn the_access_log_names_requests_but_no_secret() {
    for (lines, expected) in [("off", [false, false]), ("errors", [false, true]), ("all", [true, true])] {
        run(Setup::new(Mode::Embedded).env("GUILDHALL_ACCESS_LOG", lines), async |deployment| {
            let key = deployment.guild().admin_key.clone();
            let path = format!("/moderation/{}/ban-status/77", deployment.guild().id);
            deployment.api().header("x-request-id", "answered-1").get(&path).await.ok();
            deployment.api().header("x-request-id", "refused-1").get("/nothing").await.refused(404, &[]);
            let log = deployment.roles().apis[0].process.log();
            let has = ["answered-1", "refused-1"].map(|id| log.contains(id));
            assert_eq!(has, expected, "{lines}: {log}");
            assert!(!log.contains(&key), "{log}");
            if lines == "all" {
                let line = log.lines().find(|line| line.contains("answered-1")).unwrap();
                let public_id = key.split('_').nth(1).unwrap();
                for part in ["127.0.0.1", &public_id[..8], "status=200", "ban-status"] {
                    assert!(line.contains(part), "{part} in {line}");
                }
            }
        });
    }
}
