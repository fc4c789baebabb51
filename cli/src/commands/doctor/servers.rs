//! The database with its schema, RabbitMQ and Redis. Nothing is created, migrated or declared.

use entities::guild::grants::Grants;
use entities::job::{Class, listing};
use entities::{GuildId, binding, guild, job, process};
use migrations::Difference;
use queue::Broker;
use runtime::{BrokerConfig, Clock, Config, Database, DatabaseOptions, Redis};

use super::clock;
use super::report::{Problem, Report};
use crate::{output, schema};

const CHECK_SERVER: &str = "check that the server runs and that the URL, user and password are right";

pub(super) struct KnownGuild {
    pub(super) guild: guild::Model,
    pub(super) grants: Grants,
    pub(super) bindings: Vec<binding::Binding>,
}

/// The guilds to check, if the database can be read.
pub(super) async fn database(
    config: &Config,
    only: Option<GuildId>,
    report: &mut Report,
) -> Option<Vec<KnownGuild>> {
    let opened = open(config).await;
    let database = report.check("database", opened.map(|database| (database, "reachable".to_owned())))?;
    let current = current_schema(&database).await;
    let usable = current.is_ok();
    report.record("schema", current);
    if usable && database.is_postgres() {
        report.record("database clock", database_clock(&database).await);
    }
    if usable {
        report.record("processes", processes(&database).await);
    }
    let guilds = if usable { report.check("guilds", guilds(&database, only).await) } else { None };
    database.close().await;
    guilds
}

async fn open(config: &Config) -> Result<Database, Problem> {
    if let Some(file) = schema::missing_file(config)? {
        return Err(Problem::new(schema::is_missing(&file), schema::CREATE_DATABASE));
    }
    let options = DatabaseOptions { max_connections: 2, readers: 1, ..DatabaseOptions::default() };
    let opened = Database::connect(config.database_url.expose(), &options).await;
    opened.map_err(|error| Problem::new(error.to_string(), CHECK_SERVER))
}

async fn current_schema(database: &Database) -> Result<String, Problem> {
    match migrations::difference(database.read()).await {
        Ok(Difference { refused, .. }) if !refused.is_empty() => {
            let what = format!("newer than this program: {} unknown", refused.join(", "));
            Err(Problem::new(what, "run the version of `guildhall` that migrated it, or a later one"))
        }
        Ok(difference) if difference.pending.is_empty() => Ok(schema::state(&difference)),
        Ok(Difference { pending, .. }) => {
            let what = format!("{} missing: {}", output::count(pending.len(), "change"), pending.join(", "));
            Err(Problem::new(what, "run `guildhall migrate` (`guildhall serve` does it by itself)"))
        }
        Err(error) => Err(Problem::new(error.to_string(), CHECK_SERVER)),
    }
}

async fn database_clock(database: &Database) -> Result<String, Problem> {
    let clock = Clock::system();
    let asked = clock.now();
    let read = job::time::read(database.read(), asked).await;
    clock::compare("Postgres", read.map_err(unreadable)?, asked..clock.now())
}

/// Before the first start there are none, and nothing waits for them.
async fn processes(database: &Database) -> Result<String, Problem> {
    let (conn, now) = (database.read(), Clock::system().now());
    let alive = process::alive(conn, now).await.map_err(unreadable)?;
    let mut waiting = 0;
    for &class in Class::ALL {
        waiting += listing::backlog(conn, class, now).await.map_err(unreadable)?.available;
    }
    let unserved = alive.unserved();
    if unserved.is_empty() || (alive.is_empty() && waiting == 0) {
        let roles = alive.roles.iter().map(|(role, number)| format!("{number} {}", role.name()));
        let roles = roles.collect::<Vec<_>>().join(", ");
        return Ok(if roles.is_empty() { "none runs yet".to_owned() } else { roles });
    }
    let classes = unserved.iter().map(|class| class.name()).collect::<Vec<_>>().join(", ");
    let cure = match unserved.as_slice() {
        [Class::Maintenance] => "start `guildhall scheduler`",
        several if several.contains(&Class::Maintenance) => {
            "start `guildhall worker` and `guildhall scheduler`, or `guildhall serve`, which is all in one"
        }
        _ => "start `guildhall worker`",
    };
    Err(Problem::new(format!("nobody runs jobs of class {classes}; {waiting} wait"), cure))
}

fn unreadable(error: sea_orm::DbErr) -> Problem {
    Problem::new(error.to_string(), CHECK_SERVER)
}

async fn guilds(database: &Database, only: Option<GuildId>) -> Result<(Vec<KnownGuild>, String), Problem> {
    let mut known = Vec::new();
    for guild in guild::list(database.read()).await.map_err(unreadable)? {
        if only.is_none_or(|only| only == guild.guild_id) {
            let bindings = binding::list(database.read(), guild.guild_id).await.map_err(unreadable)?;
            let grants = Grants::of(database.read(), &guild).await.map_err(unreadable)?;
            known.push(KnownGuild { guild, grants, bindings });
        }
    }
    match only {
        Some(only) if known.is_empty() => Err(Problem::new(
            format!("guild {only} is not known"),
            format!("add it with `guildhall guilds add {only} --name NAME`"),
        )),
        _ => {
            let detail = format!("{} to check", output::count(known.len(), "guild"));
            Ok((known, detail))
        }
    }
}

pub(super) async fn broker(config: &Config, report: &mut Report) {
    let Some(BrokerConfig { amqp_url, redis_url }) = &config.broker else { return };
    let rabbitmq = Broker::check(amqp_url.expose()).await.map(|()| "reachable".to_owned());
    report.record("rabbitmq", rabbitmq.map_err(|error| Problem::new(error.to_string(), CHECK_SERVER)));
    let redis = Redis::connect(redis_url.expose(), &config.prefix).await;
    let redis = redis.map(|redis| (redis, "reachable".to_owned()));
    let redis = redis.map_err(|error| Problem::new(error.to_string(), CHECK_SERVER));
    if let Some(redis) = report.check("redis", redis) {
        report.record("redis clock", redis_clock(&redis).await);
    }
}

async fn redis_clock(redis: &Redis) -> Result<String, Problem> {
    let clock = Clock::system();
    let asked = clock.now();
    let read = redis.time().await;
    let theirs = read.map_err(|error| Problem::new(error.to_string(), CHECK_SERVER))?;
    clock::compare("Redis", theirs, asked..clock.now())
}
