//! Errors at the start of a process or command: one clear message, a non-zero exit, and no files left.

use std::net::TcpListener;
use std::path::Path;

use testkit::{Finished, Servers, TestDatabase, run_command};

const PROCESSES: [&str; 3] = ["api", "worker", "scheduler"];
/// As if the last migration had not been applied.
pub(crate) const FORGET_LAST: &str =
    "DELETE FROM seaql_migrations WHERE version = (SELECT max(version) FROM seaql_migrations)";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) async fn run(args: &[&str], env: &[(&str, &str)], folder: &Path) -> Finished {
    let mut all = vec![("GUILDHALL_LISTEN", "127.0.0.1:0"), ("GUILDHALL_METRICS_LISTEN", "127.0.0.1:0")];
    all.extend(env);
    let env: Vec<_> = all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    run_command(args, &env, folder).await
}

/// Asserts that the command was refused with a message that has each of the words.
#[track_caller]
pub(crate) fn assert_says(finished: Finished, words: &[&str]) {
    let what = finished.what.clone();
    let message = finished.refused();
    for word in words {
        assert!(message.contains(word), "{what}: no {word:?} in: {message}");
    }
}

#[tokio::test]
async fn a_wrong_database_url_is_named_without_its_password() {
    let folder = folder();
    let refused = "postgres://ann:hunter2@127.0.0.1:9/hall";
    for (url, words) in [
        ("mysql://ann:hunter2@db/hall", ["GUILDHALL_DATABASE_URL", "postgres"]),
        ("nonsense", ["GUILDHALL_DATABASE_URL", "postgres"]),
        (refused, ["127.0.0.1:9", "GUILDHALL_DATABASE_URL"]),
        ("sqlite:///proc/nowhere/hall.db", ["/proc/nowhere", "cannot"]),
    ] {
        for command in ["serve", "migrate"] {
            let finished = run(&[command], &[("GUILDHALL_DATABASE_URL", url)], folder.path()).await;
            assert!(
                !finished.stderr.contains("hunter2") && !finished.stdout.contains("hunter2"),
                "{finished:?}"
            );
            assert_says(finished, &words);
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "files were left");
}

#[tokio::test]
async fn a_taken_port_is_named_with_its_variable() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let env = [("GUILDHALL_LISTEN", address.as_str())];
    assert_says(run(&["serve"], &env, folder.path()).await, &[&address, "GUILDHALL_LISTEN"]);
    assert!(!folder.path().join("guildhall-data").exists(), "a failed start created a database");
    std::fs::write(folder.path().join("f.json"), testkit::Fixture::new(1, 1).json().to_string()).unwrap();
    let simulate = ["simulate", "--listen", &address, "--state", "f.json"];
    assert_says(run(&simulate, &[], folder.path()).await, &[&address]);
    let servers = Servers::from_env();
    let env = [
        ("GUILDHALL_DATABASE_URL", servers.database.as_str()),
        ("GUILDHALL_AMQP_URL", &servers.amqp),
        ("GUILDHALL_REDIS_URL", &servers.redis),
        ("GUILDHALL_METRICS_LISTEN", &address),
    ];
    for process in ["worker", "scheduler"] {
        assert_says(run(&[process], &env, folder.path()).await, &[&address, "GUILDHALL_METRICS_LISTEN"]);
    }
}

#[tokio::test]
async fn a_setting_without_its_other_half_names_it() {
    let folder = folder();
    let (amqp, redis) = (("GUILDHALL_AMQP_URL", "amqp://h/%2f"), ("GUILDHALL_REDIS_URL", "redis://h/0"));
    let postgres = ("GUILDHALL_DATABASE_URL", "postgres://u:p@h/d");
    for command in PROCESSES {
        assert_says(run(&[command], &[postgres, amqp], folder.path()).await, &["GUILDHALL_REDIS_URL is not"]);
        assert_says(run(&[command], &[postgres, redis], folder.path()).await, &["GUILDHALL_AMQP_URL is not"]);
    }
    for process in PROCESSES {
        assert_says(
            run(&[process], &[postgres], folder.path()).await,
            &["GUILDHALL_AMQP_URL and GUILDHALL_REDIS_URL"],
        );
        assert_says(
            run(&[process], &[amqp, redis], folder.path()).await,
            &["GUILDHALL_DATABASE_URL", "Postgres"],
        );
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn an_old_or_too_new_schema_is_refused_with_what_to_run() {
    let (folder, servers) = (folder(), Servers::from_env());
    let database = TestDatabase::empty_on_server(&servers.database).await;
    let env = [
        ("GUILDHALL_DATABASE_URL", database.url()),
        ("GUILDHALL_AMQP_URL", &servers.amqp),
        ("GUILDHALL_REDIS_URL", &servers.redis),
        ("GUILDHALL_PREFIX", "test-old-schema"),
    ];
    for process in PROCESSES {
        assert_says(run(&[process], &env, folder.path()).await, &["schema", "guildhall migrate"]);
    }
    assert_says(run(&["guilds", "list"], &env[..1], folder.path()).await, &["guildhall migrate"]);
    assert_eq!(database.count("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").await, 0);
    run(&["migrate"], &env, folder.path()).await.succeeded();
    // A later change that leaves this program running, then one that does not.
    database.execute("INSERT INTO seaql_migrations VALUES ('m9998_later', 0)").await;
    run(&["guilds", "list"], &env, folder.path()).await.succeeded();
    database.execute("INSERT INTO seaql_migrations VALUES ('m9999_drop_after_m9998', 0)").await;
    for command in [&["api"][..], &["migrate"], &["guilds", "list"]] {
        let refused = run(command, &env, folder.path()).await;
        assert_eq!(refused.code, Some(4), "{refused:?}");
        assert_says(refused, &["newer", "m9999_drop_after_m9998", "or a later one"]);
    }
    // A schema without the last migration is refused too.
    database.execute("DELETE FROM seaql_migrations WHERE version LIKE 'm999%'").await;
    database.execute(FORGET_LAST).await;
    let refused = run(&["api"], &env, folder.path()).await;
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert_says(refused, &["1 migration", "guildhall migrate"]);
}

#[tokio::test]
async fn only_serve_and_migrate_change_the_schema_of_a_file() {
    let folder = folder();
    let file = folder.path().join("guildhall-data/guildhall.db");
    std::fs::create_dir(folder.path().join("guildhall-data")).unwrap();
    let database = TestDatabase::sqlite_file(&file).await;
    database.execute(FORGET_LAST).await;
    let add = ["guilds", "add", "7000000000000000000", "--name", "g"];
    for command in [&["guilds", "list"][..], &["keys", "list"], &add] {
        assert_says(run(command, &[], folder.path()).await, &["1 migration", "guildhall migrate"]);
    }
    database.execute("INSERT INTO seaql_migrations VALUES ('m9999_later', 0)").await;
    for command in [&["serve"][..], &["migrate"], &["guilds", "list"]] {
        assert_says(run(command, &[], folder.path()).await, &["newer", "m9999_later"]);
    }
}

#[tokio::test]
async fn a_second_migration_changes_nothing() {
    let (folder, servers) = (folder(), Servers::from_env());
    let database = TestDatabase::empty_on_server(&servers.database).await;
    let env = [("GUILDHALL_DATABASE_URL", database.url())];
    // Two concurrent migrations run one after the other.
    let both = futures_util::future::join(
        run(&["migrate"], &env, folder.path()),
        run(&["migrate"], &env, folder.path()),
    );
    let (first, second) = both.await;
    first.succeeded();
    second.succeeded();
    let applied = database.count("SELECT count(*) FROM seaql_migrations").await;
    assert!(run(&["migrate"], &env, folder.path()).await.succeeded().contains("up to date"));
    assert_eq!(database.count("SELECT count(*) FROM seaql_migrations").await, applied);
}

#[tokio::test]
async fn unreachable_servers_are_named() {
    let (folder, servers) = (folder(), Servers::from_env());
    let database = TestDatabase::on_server(&servers.database).await;
    let dead_redis = "redis://default:hunter2@127.0.0.1:9/0";
    let env = [
        ("GUILDHALL_DATABASE_URL", database.url()),
        ("GUILDHALL_AMQP_URL", servers.amqp.as_str()),
        ("GUILDHALL_REDIS_URL", dead_redis),
    ];
    let finished = run(&["api"], &env, folder.path()).await;
    assert!(!finished.stderr.contains("hunter2"), "{}", finished.stderr);
    assert_says(finished, &["127.0.0.1:9", "GUILDHALL_REDIS_URL"]);
    let wrong = database.url().replace("guildhall:", "guildhall:wrong");
    let finished = run(&["guilds", "list"], &[("GUILDHALL_DATABASE_URL", &wrong)], folder.path()).await;
    assert_says(finished, &["credentials", "GUILDHALL_DATABASE_URL"]);
    let missing = format!("{}_missing", database.url());
    let finished = run(&["migrate"], &[("GUILDHALL_DATABASE_URL", &missing)], folder.path()).await;
    assert_says(finished, &["does not exist"]);
}

#[tokio::test]
async fn unknown_commands_and_flags_are_refused() {
    let folder = folder();
    for args in
        [&["dance"][..], &["serve", "--speed=9"], &["keys"], &["jobs", "show", "x"], &["keys", "create"]]
    {
        let finished = run(args, &[], folder.path()).await;
        assert!(finished.code.is_some_and(|code| code != 0) && !finished.stderr.is_empty(), "{finished:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let help = run(&["serve", "--help"], &[], folder.path()).await.succeeded();
    for variable in
        ["GUILDHALL_DATA_DIR", "GUILDHALL_LISTEN", "GUILDHALL_CHAT_TOKEN", "GUILDHALL_DATABASE_URL"]
    {
        assert!(help.contains(variable), "{variable} is not in the help");
    }
}

/// The wrong value, the name it was given under, and what is accepted; not the name it was not given under.
#[tokio::test]
async fn a_wrong_value_names_the_flag_or_the_variable_that_was_given() {
    let folder = folder();
    let address = "such as 127.0.0.1:8080";
    let unreadable = run(&["serve"], &[("RUST_LOG", "info,api=loud")], folder.path()).await;
    assert_says(unreadable, &["RUST_LOG", "info,api=debug"]);
    let slip = run(&["serve"], &[("RUST_LOG", "warning")], folder.path()).await;
    assert_says(slip, &["RUST_LOG", "warning is no level"]);
    for (command, flag, variable, accepted) in [
        (&["demo"][..], "--listen", "GUILDHALL_LISTEN", address),
        (&["serve"], "--listen", "GUILDHALL_LISTEN", address),
        (&["api"], "--listen", "GUILDHALL_LISTEN", address),
        (&["worker"], "--metrics-listen", "GUILDHALL_METRICS_LISTEN", address),
        (&["simulate", "--state=f.json"], "--listen", "GUILDHALL_SIMULATE_LISTEN", address),
        (&["api"], "--prefix", "GUILDHALL_PREFIX", "a-z, 0-9"),
        (&["serve"], "--chat-rate", "GUILDHALL_CHAT_RATE", "or `off`"),
        (&["sync"], "--guild", "GUILDHALL_GUILD", "digits"),
    ] {
        let typed: Vec<&str> = command.iter().copied().chain([flag, "Nonsense"]).collect();
        let typed = run(&typed, &[], folder.path()).await;
        assert!(!typed.stderr.contains(variable), "{}", typed.stderr);
        assert_says(typed, &[flag, "Nonsense", accepted]);
        let set = run(command, &[(variable, "Nonsense")], folder.path()).await;
        assert!(!set.stderr.contains(&format!("{flag} ")), "{}", set.stderr);
        assert_says(set, &[variable, "Nonsense", accepted]);
    }
    // The default is in use: the error names both ways to change it.
    let _taken = TcpListener::bind("127.0.0.1:9000");
    let simulate = ["simulate", "--state=f.json"];
    assert_says(run(&simulate, &[], folder.path()).await, &["--listen (GUILDHALL_SIMULATE_LISTEN)"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
}

#[tokio::test]
async fn a_postgres_that_another_serve_uses_is_refused() {
    let (folder, database) = (folder(), TestDatabase::postgres().await);
    let config =
        runtime::Config { database_url: database.url().into(), prefix: "t".to_owned(), broker: None };
    let held = config.lock_postgres().await.unwrap();
    let env = [("GUILDHALL_DATABASE_URL", database.url())];
    let words = ["another `guildhall serve` uses this database", "connected from"];
    assert_says(run(&["serve"], &env, folder.path()).await, &words);
    drop(held);
}

#[tokio::test]
async fn a_retention_below_its_floor_is_refused() {
    let folder = folder();
    let env = [("GUILDHALL_RETENTION_ACTIONS", "92")];
    assert_says(run(&["serve"], &env, folder.path()).await, &["GUILDHALL_RETENTION_ACTIONS", "93"]);
    assert!(!folder.path().join("guildhall-data").exists(), "a failed start created a database");
}
