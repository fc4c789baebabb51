//! Flags with their environment variables, and [`Config`]: the same checked as a whole, so that a contradiction is an
//! error at startup.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpSocket};

use crate::database::{self, Alone, DataDirLock};
use crate::error::StartError;
use crate::secret::{Secret, either};
use crate::settings::{AMQP_URL, DATABASE_URL, REDIS_URL};

mod args;
mod otlp;
mod plain;
mod platforms;
mod retention;
mod tls;

pub use args::{
    AccessLog, BrokerArgs, DatabaseArgs, HttpArgs, ListenArgs, LogArgs, MAX_HOT_PATH_FACTOR, MetricsArgs,
    Origin,
};
pub use otlp::{OtlpArgs, OtlpConfig};
pub use platforms::{PlatformArgs, PlatformConfig, PlatformRate};
pub use retention::{Kept, Retention, RetentionArgs};

const PREFIX: &str = "GUILDHALL_PREFIX";
const DEFAULT_PREFIX: &str = "guildhall";
/// Queue names and Redis keys stay short; RabbitMQ cuts names at 255 bytes.
const PREFIX_MAX: usize = 32;
/// Connections that wait to be accepted, as far as the system allows: thousands of game servers may connect
/// at once.
const ACCEPT_QUEUE: u32 = 16_384;
/// Bytes of unsent answers that the system buffers for one connection. The default is megabytes, which a
/// client that reads nothing holds until its timeout.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 64 * 1024;

/// Where a deployment stores its state. Validated: every URL in it can be used.
#[derive(Clone, Debug)]
pub struct Config {
    /// `postgres://…` or `sqlite://…`.
    pub database_url: Secret,
    /// Prefix of queue names and Redis keys, so that deployments can share servers.
    pub prefix: String,
    /// RabbitMQ and Redis: present in the distributed processes.
    pub broker: Option<BrokerConfig>,
}

#[derive(Clone, Debug)]
pub struct BrokerConfig {
    pub amqp_url: Secret,
    pub redis_url: Secret,
}

impl Config {
    /// Only a database: for one process that does everything, and for commands beside running ones.
    pub fn embedded(database: &DatabaseArgs) -> Result<Self, StartError> {
        Ok(Self { database_url: database_url(database)?, prefix: DEFAULT_PREFIX.to_owned(), broker: None })
    }

    /// For `api`, `worker`, `scheduler`: Postgres, RabbitMQ and Redis.
    pub fn distributed(database: &DatabaseArgs, broker: &BrokerArgs) -> Result<Self, StartError> {
        let config = Self::either(database, broker)?;
        if config.broker.is_none() {
            return Err(StartError::Contradiction(format!(
                "this process needs RabbitMQ and Redis: set {AMQP_URL} and {REDIS_URL} \
                 (for one process without them, run `guildhall serve`)"
            )));
        }
        Ok(config)
    }

    /// Whichever of the two is configured.
    pub fn either(database: &DatabaseArgs, broker: &BrokerArgs) -> Result<Self, StartError> {
        let config = Self {
            database_url: database_url(database)?,
            prefix: checked_prefix(&broker.prefix)?,
            broker: checked_broker(broker)?,
        };
        if config.broker.is_some() && !config.is_postgres() {
            let url =
                either(DATABASE_URL, database.database_url.as_ref(), database.database_url_file.as_ref())?;
            let state = if url.is_none() { "unset" } else { "a SQLite file" };
            return Err(StartError::Contradiction(format!(
                "processes that share RabbitMQ and Redis need Postgres, but {DATABASE_URL} is {state}: \
                 set it to postgres://user:password@host:5432/database"
            )));
        }
        Ok(config)
    }

    pub fn is_postgres(&self) -> bool {
        database::is_postgres_url(self.database_url.expose())
    }

    /// The file of an embedded database; `None` on Postgres.
    pub fn sqlite_file(&self) -> Result<Option<PathBuf>, StartError> {
        if self.is_postgres() {
            return Ok(None);
        }
        database::sqlite_file_of(self.database_url.expose()).map(Some)
    }

    /// Refuses a second `serve` on the same Postgres; `None` on SQLite.
    pub async fn lock_postgres(&self) -> Result<Option<Alone>, StartError> {
        if !self.is_postgres() {
            return Ok(None);
        }
        Alone::acquire(self.database_url.expose()).await.map(Some)
    }

    /// Refuses a second `serve` on the same SQLite file; hold the lock while this one runs. `None` on Postgres.
    pub fn lock_data_dir(&self) -> Result<Option<DataDirLock>, StartError> {
        self.sqlite_file()?.map(|file| DataDirLock::acquire(&file)).transpose()
    }
}

/// Binds an address of [`ListenArgs`] or [`MetricsArgs`]; the error for an address in use names `variable`.
pub async fn bind(address: SocketAddr, variable: &'static str) -> Result<TcpListener, StartError> {
    listen(address).map_err(|error| {
        let reason = match error.kind() {
            std::io::ErrorKind::AddrInUse => "another program listens there".to_owned(),
            _ => error.to_string(),
        };
        StartError::Listen { address, reason, variable }
    })
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // As usual for servers: at a restart connections of the previous process may remain.
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit it.
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(&socket).set_tcp_notsent_lowat(MAX_UNSENT_BYTES)?;
    socket.bind(address)?;
    socket.listen(ACCEPT_QUEUE)
}

fn database_url(args: &DatabaseArgs) -> Result<Secret, StartError> {
    let url = either(DATABASE_URL, args.database_url.as_ref(), args.database_url_file.as_ref())?;
    let Some(url) = url else { return default_database(&args.data_dir) };
    let text = url.expose().trim();
    if database::is_postgres_url(text) {
        database::check_postgres_url(text)?;
    } else {
        database::sqlite_file_of(text)?;
    }
    Ok(text.into())
}

/// The file in the data folder. Bytes with a meaning in URLs are escaped.
fn default_database(data_dir: &Path) -> Result<Secret, StartError> {
    let path = data_dir.join("guildhall.db");
    let Some(text) = path.to_str().filter(|_| !data_dir.as_os_str().is_empty()) else {
        return Err(StartError::setting(
            "GUILDHALL_DATA_DIR",
            "must be a folder whose name is not empty and valid UTF-8",
        ));
    };
    let escaped = text.replace('%', "%25").replace('?', "%3F").replace('#', "%23");
    Ok(format!("sqlite://{escaped}").into())
}

fn checked_prefix(prefix: &str) -> Result<String, StartError> {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b);
    let starts_well = prefix.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if starts_well && prefix.len() <= PREFIX_MAX && prefix.bytes().all(allowed) {
        return Ok(prefix.to_owned());
    }
    let problem = format!(
        "is `{prefix}`: give 1 to {PREFIX_MAX} of a-z, 0-9, `-`, `_`, `.`, beginning with a letter or digit"
    );
    Err(StartError::setting(PREFIX, problem))
}

fn checked_broker(args: &BrokerArgs) -> Result<Option<BrokerConfig>, StartError> {
    let amqp = either(AMQP_URL, args.amqp_url.as_ref(), args.amqp_url_file.as_ref())?;
    let redis = either(REDIS_URL, args.redis_url.as_ref(), args.redis_url_file.as_ref())?;
    match (amqp, redis) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(StartError::HalfPair { set: AMQP_URL, missing: REDIS_URL }),
        (None, Some(_)) => Err(StartError::HalfPair { set: REDIS_URL, missing: AMQP_URL }),
        (Some(amqp), Some(redis)) => Ok(Some(BrokerConfig {
            amqp_url: checked_amqp(amqp.expose())?,
            redis_url: checked_redis(redis.expose())?,
        })),
    }
}

fn checked_amqp(url: &str) -> Result<Secret, StartError> {
    let url = url.trim();
    crate::amqp_uri(url).map(|_| url.into())
}

fn checked_redis(url: &str) -> Result<Secret, StartError> {
    let url = url.trim();
    crate::redis::check_url(url).map(|_| url.into())
}

pub fn parse_address(text: &str) -> Result<SocketAddr, &'static str> {
    let numeric = text.trim().replace("localhost:", "127.0.0.1:");
    numeric.parse().map_err(|_| "give an address and a port, such as 127.0.0.1:8080 or 0.0.0.0:8080")
}

fn checked_address(text: &str, variable: &'static str) -> Result<SocketAddr, StartError> {
    parse_address(text).map_err(|expected| StartError::setting(variable, format!("is `{text}`: {expected}")))
}

#[cfg(test)]
mod tests;
