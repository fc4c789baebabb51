//! The flags, grouped as the commands need them. Every one has an environment twin and its help.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::checked_address;
use crate::error::StartError;
use crate::secret::Secret;
use crate::telemetry::LogFormat;

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Database")]
pub struct DatabaseArgs {
    /// Folder for the data of a process without Postgres; made when missing
    #[arg(long, env = "GUILDHALL_DATA_DIR", value_name = "FOLDER", default_value = "./guildhall-data")]
    pub data_dir: PathBuf,
    /// `postgres://user:password@host:5432/database` or `sqlite://file.db` [default: a SQLite file in the data folder]
    #[arg(long, env = "GUILDHALL_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<Secret>,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "RabbitMQ and Redis (distributed processes)")]
pub struct BrokerArgs {
    /// RabbitMQ, `amqp://user:password@host:5672/%2f`; set together with --redis-url
    #[arg(long, env = "GUILDHALL_AMQP_URL", value_name = "URL", hide_env_values = true)]
    pub amqp_url: Option<Secret>,
    /// Redis, `redis://user:password@host:6379/0`; set together with --amqp-url
    #[arg(long, env = "GUILDHALL_REDIS_URL", value_name = "URL", hide_env_values = true)]
    pub redis_url: Option<Secret>,
    /// Heads the names of queues and Redis keys, so that two deployments can share the servers
    #[arg(long, env = "GUILDHALL_PREFIX", value_name = "NAME", default_value = "guildhall")]
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

#[derive(Args, Clone, Debug)]
pub struct MetricsArgs {
    /// Address and port of /metrics and /health of a worker or scheduler
    #[arg(long, env = "GUILDHALL_METRICS_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:9090")]
    pub metrics_listen: String,
}

impl MetricsArgs {
    pub const VARIABLE: &'static str = "GUILDHALL_METRICS_LISTEN";

    pub fn address(&self) -> Result<SocketAddr, StartError> {
        checked_address(&self.metrics_listen, Self::VARIABLE)
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
