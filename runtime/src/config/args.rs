//! The flags, grouped as the commands need them. Each has an environment variable and a help text.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use ipnet::IpNet;
use tokio::net::TcpListener;

use super::{bind, checked_address};
use crate::error::StartError;
use crate::secret::{Secret, secret_file};
use crate::settings::{AMQP_URL, DATABASE_URL, REDIS_URL};
use crate::telemetry::LogFormat;

const METRICS_PORT: u16 = 9090;

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Database")]
pub struct DatabaseArgs {
    /// Folder for the data of a process without Postgres; made when missing
    #[arg(long, env = "GUILDHALL_DATA_DIR", value_name = "FOLDER", default_value = "./guildhall-data")]
    pub data_dir: PathBuf,
    /// File with the URL that `GUILDHALL_DATABASE_URL` holds otherwise: `postgres://user:password@host:5432/database` or
    /// `sqlite://file.db` [default: a SQLite file in the data folder]
    #[arg(long, env = "GUILDHALL_DATABASE_URL_FILE", value_name = "FILE", value_parser = secret_file())]
    pub database_url_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(DATABASE_URL))]
    pub database_url: Option<Secret>,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "RabbitMQ and Redis (distributed processes)")]
pub struct BrokerArgs {
    /// File with the URL of RabbitMQ that `GUILDHALL_AMQP_URL` holds otherwise: `amqp://user:password@host:5672/%2f`, with TLS
    /// `amqps://`; set together with that of Redis
    #[arg(long, env = "GUILDHALL_AMQP_URL_FILE", value_name = "FILE", value_parser = secret_file())]
    pub amqp_url_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(AMQP_URL))]
    pub amqp_url: Option<Secret>,
    /// File with the URL of Redis that `GUILDHALL_REDIS_URL` holds otherwise: `redis://user:password@host:6379/0`, with TLS
    /// `rediss://`; set together with that of RabbitMQ
    #[arg(long, env = "GUILDHALL_REDIS_URL_FILE", value_name = "FILE", value_parser = secret_file())]
    pub redis_url_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(REDIS_URL))]
    pub redis_url: Option<Secret>,
    /// Prefix of the names of queues and Redis keys, so that two deployments can share the servers
    #[arg(long, env = "GUILDHALL_PREFIX", value_name = "NAME", default_value = super::DEFAULT_PREFIX)]
    pub prefix: String,
}

#[derive(Args, Clone, Debug)]
pub struct ListenArgs {
    /// Address and port of the API
    #[arg(long, env = "GUILDHALL_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: String,
}

impl ListenArgs {
    pub const VARIABLE: &'static str = "GUILDHALL_LISTEN";

    pub fn address(&self) -> Result<SocketAddr, StartError> {
        checked_address(&self.listen, Self::VARIABLE)
    }
}

/// The largest factor of keys that guilds make, unless the operator sets another one.
pub const MAX_HOT_PATH_FACTOR: i32 = 10;

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "HTTP")]
pub struct HttpArgs {
    /// Networks of proxies, such as 10.0.0.0/8, whose X-Forwarded-For names the client [default: none]
    #[arg(
        long,
        env = "GUILDHALL_TRUSTED_PROXIES",
        value_name = "NETWORK,NETWORK",
        default_value = "",
        hide_default_value = true
    )]
    pub trusted_proxies: Listed<IpNet>,
    /// Origins of other dashboards, such as `https://dash.example.org`, whose pages may call the API [default: none]
    #[arg(
        long,
        env = "GUILDHALL_CORS_ORIGINS",
        value_name = "ORIGIN,ORIGIN",
        default_value = "",
        hide_default_value = true
    )]
    pub cors_origins: Listed<Origin>,
    /// Largest factor on the rate limits of game servers that guilds may give their keys
    #[arg(long, env = "GUILDHALL_MAX_HOT_PATH_FACTOR", value_name = "N", default_value_t = MAX_HOT_PATH_FACTOR, value_parser = clap::value_parser!(i32).range(1..=1000))]
    pub max_hot_path_factor: i32,
    /// Public URL for people's browsers, such as `https://guildhall.example.org`; needed to sign in to the
    /// console with the chat platform [default: none]
    #[arg(long, env = "GUILDHALL_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<Origin>,
    /// Address and port of /metrics, for your own network: the port of the API has no metrics [default: none]
    #[arg(long, env = "GUILDHALL_METRICS_LISTEN", value_name = "ADDRESS")]
    pub metrics_listen: Option<String>,
    /// Requests to log; failures of this service are always logged
    #[arg(long, env = "GUILDHALL_ACCESS_LOG", value_enum, value_name = "REQUESTS", default_value_t = AccessLog::Off)]
    pub access_log: AccessLog,
    /// Seconds after SIGTERM in which it is not ready but still answers, so that load balancers stop sending
    /// requests
    #[arg(long, env = "GUILDHALL_STOP_NOTICE", value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(0..=300))]
    pub stop_notice: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum AccessLog {
    /// None
    #[default]
    Off,
    /// Requests answered with 400 and above
    Errors,
    /// All
    All,
}

impl AccessLog {
    pub fn has(self, status: http::StatusCode) -> bool {
        match self {
            Self::Off => false,
            Self::Errors => status.as_u16() >= 400,
            Self::All => true,
        }
    }
}

impl HttpArgs {
    pub fn stop_notice(&self) -> Duration {
        Duration::from_secs(self.stop_notice)
    }

    pub fn metrics_address(&self) -> Result<Option<SocketAddr>, StartError> {
        self.metrics_listen.as_deref().map(|text| checked_address(text, MetricsArgs::VARIABLE)).transpose()
    }
}

/// Values separated by commas; an empty text is an empty list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed<T>(pub Vec<T>);

impl FromStr for Listed<IpNet> {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parts(text).map(network).collect::<Result<_, _>>().map(Self)
    }
}

/// The origin of a page, as browsers send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(pub String);

impl FromStr for Origin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        origin(text).map(Self)
    }
}

impl FromStr for Listed<Origin> {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parts(text).map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// A single address is a network of one.
fn network(text: &str) -> Result<IpNet, &'static str> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse().or_else(|_| address()).map_err(|_| "give networks such as 10.0.0.0/8 or single addresses")
}

/// Scheme, host and, where it is not the usual one, port.
fn origin(text: &str) -> Result<String, &'static str> {
    let text = text.trim_end_matches('/').to_ascii_lowercase();
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let fits = host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*', '?', '#', '@', ' ']));
    if fits { Ok(text) } else { Err("give origins such as https://dash.example.org, without a path") }
}

#[derive(Args, Clone, Debug)]
pub struct MetricsArgs {
    /// Address and port of /metrics and /health of a worker, scheduler or gateway; port 0 takes a free one, which the log names
    /// [default: 127.0.0.1:9090, or a free port if another program listens there]
    #[arg(long, env = "GUILDHALL_METRICS_LISTEN", value_name = "ADDRESS")]
    pub metrics_listen: Option<String>,
}

impl MetricsArgs {
    pub const VARIABLE: &'static str = "GUILDHALL_METRICS_LISTEN";

    /// `None`: not set.
    pub fn address(&self) -> Result<Option<SocketAddr>, StartError> {
        self.metrics_listen.as_deref().map(|text| checked_address(text, Self::VARIABLE)).transpose()
    }

    /// Several processes of one machine need no setting.
    pub async fn bind(&self) -> Result<TcpListener, StartError> {
        if let Some(address) = self.address()? {
            return bind(address, Self::VARIABLE).await;
        }
        match bind((Ipv4Addr::LOCALHOST, METRICS_PORT).into(), Self::VARIABLE).await {
            Err(StartError::Listen { .. }) => bind((Ipv4Addr::LOCALHOST, 0).into(), Self::VARIABLE).await,
            bound => bound,
        }
    }
}

#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Log")]
pub struct LogArgs {
    /// Form of the log on standard error [default: text on a terminal, json otherwise]. `RUST_LOG` filters it
    #[arg(long, env = "GUILDHALL_LOG_FORMAT", value_enum, value_name = "FORMAT", global = true)]
    pub log_format: Option<LogFormat>,
}

impl LogArgs {
    pub fn format(&self) -> LogFormat {
        self.log_format.unwrap_or_else(LogFormat::for_stderr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_and_origins_are_checked() {
        let two: Listed<IpNet> = "10.0.0.0/8, 192.0.2.1,".parse().unwrap();
        assert_eq!((two.0.len(), "".parse::<Listed<Origin>>().unwrap().0), (2, vec![]));
        assert_eq!(network("10.0.0.0/8").unwrap().to_string(), "10.0.0.0/8");
        assert_eq!(network("192.0.2.1").unwrap().to_string(), "192.0.2.1/32");
        assert!(network("10.0.0.0/33").is_err() && network("").is_err() && network("proxy").is_err());
        assert_eq!(origin("https://Dash.example.org/").unwrap(), "https://dash.example.org");
        assert_eq!(origin("http://localhost:3000").unwrap(), "http://localhost:3000");
        for bad in
            ["*", "", "dash.example.org", "https://", "https://*.example.org", "https://a/b", "ftp://a"]
        {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}
