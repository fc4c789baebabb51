use std::path::PathBuf;

use clap::Parser;

use super::*;
use crate::settings::{CHAT_API_URL, PLAY_API_URL};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    broker: BrokerArgs,
    #[command(flatten)]
    platforms: PlatformArgs,
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    log: LogArgs,
}

const POSTGRES: &str = "DATABASE_URL=postgres://ann:hunter2@db/hall";
const AMQP: &str = "AMQP_URL=amqp://ann:hunter2@mq:5672/%2f";
const REDIS: &str = "REDIS_URL=redis://ann:hunter2@cache:6379/0";

/// `VARIABLE=text` stands for the variable of a secret, everything else is a flag.
fn cli(given: &[&str]) -> Cli {
    let (flags, texts): (Vec<&str>, Vec<_>) = given.iter().partition(|given| given.starts_with("--"));
    let parsed = Cli::try_parse_from(std::iter::once("guildhall").chain(flags));
    let mut cli = parsed.unwrap_or_else(|error| panic!("{error}"));
    for text in texts {
        let (variable, text) = text.split_once('=').unwrap();
        let field = match variable {
            "DATABASE_URL" => &mut cli.database.database_url,
            "AMQP_URL" => &mut cli.broker.amqp_url,
            "REDIS_URL" => &mut cli.broker.redis_url,
            "CHAT_TOKEN" => &mut cli.platforms.chat_token,
            "CHAT_CLIENT_SECRET" => &mut cli.platforms.chat_client_secret,
            "PLAY_CLIENT_SECRET" => &mut cli.platforms.play_client_secret,
            "PLAY_KEY" => &mut cli.platforms.play_key,
            other => panic!("{other}"),
        };
        *field = Some(text.into());
    }
    cli
}

fn embedded(flags: &[&str]) -> Result<Config, String> {
    let cli = cli(flags);
    Config::embedded(&cli.database).map_err(|error| error.to_string())
}

fn distributed(flags: &[&str]) -> Result<Config, String> {
    let cli = cli(flags);
    Config::distributed(&cli.database, &cli.broker).map_err(|error| error.to_string())
}

#[test]
fn the_default_database_is_a_sqlite_file_in_the_data_folder() {
    let config = embedded(&[]).unwrap();
    assert_eq!(config.database_url.expose(), "sqlite://./guildhall-data/guildhall.db");
    assert!(config.broker.is_none());
    let odd = embedded(&["--data-dir=/srv/a?b%c"]).unwrap();
    assert_eq!(
        database::sqlite_file_of(odd.database_url.expose()).unwrap(),
        PathBuf::from("/srv/a?b%c/guildhall.db")
    );
}

#[test]
fn distributed_processes_require_both_servers_and_postgres() {
    let config = distributed(&[POSTGRES, AMQP, REDIS]).unwrap();
    assert!(config.is_postgres() && config.broker.is_some());
    for (flags, expected) in [
        (&[POSTGRES][..], "set GUILDHALL_AMQP_URL and GUILDHALL_REDIS_URL"),
        (&[POSTGRES, AMQP], "GUILDHALL_AMQP_URL is set but GUILDHALL_REDIS_URL is not"),
        (&[POSTGRES, REDIS], "GUILDHALL_REDIS_URL is set but GUILDHALL_AMQP_URL is not"),
        (&[POSTGRES, REDIS, "AMQP_URL= "], "GUILDHALL_REDIS_URL is set but GUILDHALL_AMQP_URL is not"),
        (&[AMQP, REDIS], "need Postgres, but GUILDHALL_DATABASE_URL is unset"),
        (&[AMQP, REDIS, "DATABASE_URL=sqlite://x.db"], "is a SQLite file"),
    ] {
        let error = distributed(flags).unwrap_err();
        assert!(error.contains(expected), "{flags:?}: {error}");
    }
}

#[test]
fn bad_values_name_their_variable_and_never_a_password() {
    for (flag, variable) in [
        ("DATABASE_URL=mysql://ann:hunter2@db/hall", "GUILDHALL_DATABASE_URL"),
        ("DATABASE_URL=postgres://ann:hunter2@db:none/hall", "GUILDHALL_DATABASE_URL"),
        ("AMQP_URL=http://ann:hunter2@mq", "GUILDHALL_AMQP_URL"),
        ("REDIS_URL=rediss://ann:hunter2@", "GUILDHALL_REDIS_URL"),
        ("REDIS_URL=hunter2", "GUILDHALL_REDIS_URL"),
        ("--prefix=Guild Hall", "GUILDHALL_PREFIX"),
        ("--prefix=", "GUILDHALL_PREFIX"),
    ] {
        let kind = flag.split('=').next().unwrap_or_default();
        let mut flags: Vec<&str> =
            [POSTGRES, AMQP, REDIS].into_iter().filter(|other| !other.starts_with(kind)).collect();
        flags.push(flag);
        let error = distributed(&flags).unwrap_err();
        assert!(error.starts_with(variable), "{flag}: {error}");
        assert!(!error.contains("hunter2"), "{flag}: {error}");
    }
    assert!(!format!("{:?}", distributed(&[POSTGRES, AMQP, REDIS])).contains("hunter2"));
}

#[test]
fn addresses_and_platforms_are_checked() {
    assert_eq!(cli(&["--listen=localhost:81"]).listen.address().unwrap().to_string(), "127.0.0.1:81");
    for bad in ["", "8080", "127.0.0.1", "127.0.0.1:99999"] {
        let error = cli(&[&format!("--metrics-listen={bad}")]).metrics.address().unwrap_err().to_string();
        assert!(error.starts_with("GUILDHALL_METRICS_LISTEN is"), "{bad}: {error}");
    }
    let platforms =
        cli(&["--chat-api-url=http://127.0.0.1:9000/", "CHAT_TOKEN=abc\n", "--chat-rate=off"]).platforms;
    let checked = platforms.checked().unwrap();
    assert_eq!(checked.chat_api_url.as_deref(), Some("http://127.0.0.1:9000"));
    assert_eq!(checked.chat_token, Some("abc".into()));
    assert_eq!((checked.chat_rate, checked.play_rate), (PlatformRate::Off, "300".parse().unwrap()));
    assert!(cli(&["--play-api-url=ftp://x"]).platforms.checked().is_err());
    assert!(cli(&["PLAY_KEY=a b"]).platforms.checked().is_err());
    assert_eq!(cli(&["--log-format=json"]).log.format(), crate::telemetry::LogFormat::Json);
    for bad in ["0", "-1", "fast", ""] {
        assert!(bad.parse::<PlatformRate>().is_err(), "{bad}");
    }
}

#[test]
fn an_application_has_both_id_and_secret_or_is_none() {
    let checked = |flags: &[&str]| cli(flags).platforms.checked().map_err(|error| error.to_string());
    let neither = checked(&[]).unwrap();
    assert!(neither.chat_client_id.is_none() && neither.play_client_secret.is_none());
    let flags =
        ["--chat-client-id= 7 ", "CHAT_CLIENT_SECRET=s\n", "--play-client-id=8", "PLAY_CLIENT_SECRET=t"];
    let both = checked(&flags).unwrap();
    assert_eq!((both.chat_client_id.as_deref(), both.chat_client_secret), (Some("7"), Some("s".into())));
    assert_eq!((both.play_client_id.as_deref(), both.play_client_secret), (Some("8"), Some("t".into())));
    for (flags, missing) in [
        (["--chat-client-id=7", "CHAT_CLIENT_SECRET= "], "GUILDHALL_CHAT_CLIENT_SECRET is not set"),
        (["--chat-client-id=", "CHAT_CLIENT_SECRET=hunter2"], "GUILDHALL_CHAT_CLIENT_ID is not set"),
        (["--play-client-id=7", "CHAT_TOKEN=t"], "GUILDHALL_PLAY_CLIENT_SECRET is not set"),
        (["--play-client-id=", "PLAY_CLIENT_SECRET=hunter2"], "GUILDHALL_PLAY_CLIENT_ID is not set"),
        (["--play-client-id=7", "PLAY_CLIENT_SECRET=hunter2 3"], "GUILDHALL_PLAY_CLIENT_SECRET holds spaces"),
    ] {
        let error = checked(&flags).unwrap_err();
        assert!(error.starts_with(missing) && !error.contains("hunter2"), "{flags:?}: {error}");
    }
}

#[test]
fn a_public_key_has_64_hexadecimal_digits() {
    let checked = |text: &str| {
        cli(&[&format!("--chat-public-key={text}")]).platforms.checked().map(|all| all.chat_public_key)
    };
    assert_eq!(checked(&format!(" {}Ff ", "0".repeat(62))).unwrap().unwrap()[30..], [0, 255]);
    assert_eq!(checked("").unwrap(), None);
    for bad in ["12", &"0".repeat(63), &"0".repeat(66), &"g".repeat(64)] {
        let error = checked(bad).unwrap_err().to_string();
        assert!(error.contains("is not a public key"), "{error}");
    }
}

#[test]
fn no_secret_is_a_flag() {
    use clap::CommandFactory;
    for argument in Cli::command().get_arguments() {
        let name = argument.get_id().as_str();
        let secret = ["url", "token", "key", "secret"].iter().any(|part| name.ends_with(part));
        assert!(
            !secret || name.ends_with("api_url") || name.ends_with("public_key"),
            "{name} would stand in the list of processes"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, " abc\n").unwrap();
    let flag = format!("--chat-token-file={}", file.display());
    assert_eq!(cli(&[&flag]).platforms.checked().unwrap().chat_token, Some("abc".into()));
    let both = cli(&[&flag, "CHAT_TOKEN=abc"]).platforms.checked().unwrap_err().to_string();
    assert!(both.starts_with("GUILDHALL_CHAT_TOKEN is set in two ways"), "{both}");
    std::fs::write(&file, "\n").unwrap();
    for (name, said) in [(flag, "is empty"), ("--chat-token-file=/nowhere/t".to_owned(), "cannot be read")] {
        let error = Cli::try_parse_from(["guildhall", &name]).err().unwrap().to_string();
        assert!(error.contains("--chat-token-file") && error.contains(said), "{error}");
    }
}

#[test]
fn platforms_on_another_host_without_tls_are_named() {
    let plain = |chat: &str, play: &str| {
        cli(&[&format!("--chat-api-url={chat}"), &format!("--play-api-url={play}")])
            .platforms
            .checked()
            .unwrap()
            .without_tls()
    };
    assert_eq!(plain("http://127.0.0.1:9000", "https://proxy.example"), [""; 0]);
    assert_eq!(plain("http://proxy.example/api", "http://10.0.0.2"), [CHAT_API_URL, PLAY_API_URL]);
}

#[tokio::test]
async fn a_taken_port_is_one_clear_message() {
    let taken = bind("127.0.0.1:0".parse().unwrap(), ListenArgs::VARIABLE).await.unwrap();
    let address = taken.local_addr().unwrap();
    let error = bind(address, ListenArgs::VARIABLE).await.unwrap_err().to_string();
    assert!(error.contains(&address.to_string()) && error.contains("GUILDHALL_LISTEN"), "{error}");
}

#[tokio::test]
async fn processes_of_one_machine_find_ports_for_their_metrics() {
    let unset = cli(&[]).metrics;
    let (one, other) = (unset.bind().await.unwrap(), unset.bind().await.unwrap());
    assert_ne!(one.local_addr().unwrap(), other.local_addr().unwrap());
    let taken = format!("--metrics-listen={}", other.local_addr().unwrap());
    let error = cli(&[&taken]).metrics.bind().await.unwrap_err().to_string();
    assert!(error.contains("another program listens there") && error.contains("port 0"), "{error}");
}
