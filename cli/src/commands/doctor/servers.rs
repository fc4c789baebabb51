//! The database with its schema, RabbitMQ and Redis. Nothing is created, migrated or declared.

use std::time::Duration;

use entities::{GuildId, binding, guild};
use lapin::{Connection, ConnectionProperties};
use runtime::{BrokerConfig, Config, Database, DatabaseOptions, Redis};

use super::report::{Problem, Report};
use crate::output;

const BROKER_WITHIN: Duration = Duration::from_secs(5);
const LOOK_AT_IT: &str = "see that the server runs and that the URL, user and password are right";

/// A guild as the database knows it.
pub(super) struct Known {
    pub(super) guild: guild::Model,
    pub(super) bindings: Vec<binding::Model>,
}

/// The guilds to check, where the database can be read.
pub(super) async fn database(
    config: &Config,
    only: Option<GuildId>,
    report: &mut Report,
) -> Option<Vec<Known>> {
    let opened = open(config).await;
    let database = report.check("database", opened.map(|database| (database, "reachable".to_owned())))?;
    let current = schema(&database).await;
    let usable = current.is_ok();
    report.say("schema", current);
    let guilds = if usable { report.check("guilds", guilds(&database, only).await) } else { None };
    database.close().await;
    guilds
}

async fn open(config: &Config) -> Result<Database, Problem> {
    if let Some(file) = config.sqlite_file()?.filter(|file| !file.exists()) {
        let cure =
            "begin with `guildhall guilds add` or `guildhall serve`, or correct --data-dir or --database-url";
        return Err(Problem::new(format!("there is no database {} yet", file.display()), cure));
    }
    let options = DatabaseOptions { max_connections: 2, readers: 1, ..DatabaseOptions::default() };
    let opened = Database::connect(config.database_url.expose(), &options).await;
    opened.map_err(|error| Problem::new(error.to_string(), LOOK_AT_IT))
}

async fn schema(database: &Database) -> Result<String, Problem> {
    match migrations::pending(database.read()).await {
        Ok(pending) if pending.is_empty() => Ok("up to date".to_owned()),
        Ok(pending) => {
            let what = format!("{} missing: {}", output::count(pending.len(), "change"), pending.join(", "));
            Err(Problem::new(what, "run `guildhall migrate` (`guildhall serve` does it by itself)"))
        }
        Err(error) => Err(Problem::new(error.to_string(), LOOK_AT_IT)),
    }
}

async fn guilds(database: &Database, only: Option<GuildId>) -> Result<(Vec<Known>, String), Problem> {
    let unreadable = |error: sea_orm::DbErr| Problem::new(error.to_string(), LOOK_AT_IT);
    let mut known = Vec::new();
    for guild in guild::list(database.read()).await.map_err(unreadable)? {
        if only.is_none_or(|only| only == guild.guild_id) {
            let bindings = binding::list(database.read(), guild.guild_id).await.map_err(unreadable)?;
            known.push(Known { guild, bindings });
        }
    }
    match only {
        Some(only) if known.is_empty() => Err(Problem::new(
            format!("guild {only} is not known"),
            format!("add it with `guildhall guilds add {only} --name NAME`"),
        )),
        _ => {
            let said = format!("{} to check", output::count(known.len(), "guild"));
            Ok((known, said))
        }
    }
}

pub(super) async fn broker(config: &Config, report: &mut Report) {
    let Some(BrokerConfig { amqp_url, redis_url }) = &config.broker else { return };
    report.say("rabbitmq", rabbitmq(amqp_url.expose()).await);
    let redis = Redis::connect(redis_url.expose(), &config.prefix).await;
    let redis = redis.map(|_| "reachable".to_owned());
    report.say("redis", redis.map_err(|error| Problem::new(error.to_string(), LOOK_AT_IT)));
}

async fn rabbitmq(url: &str) -> Result<String, Problem> {
    let unreachable = |what: String| Problem::new(what, LOOK_AT_IT);
    let connecting = Connection::connect(url, ConnectionProperties::default());
    match tokio::time::timeout(BROKER_WITHIN, connecting).await {
        Ok(Ok(connection)) => {
            // It has answered; how it takes the goodbye says nothing.
            let _ = connection.close(200, "checked".into()).await;
            Ok("reachable".to_owned())
        }
        Ok(Err(error)) => Err(unreachable(format!("RabbitMQ cannot be reached: {error}"))),
        Err(_) => Err(unreachable(format!("RabbitMQ does not answer within {} s", BROKER_WITHIN.as_secs()))),
    }
}
