//! Foundation of every process: configuration, clock, logging and metrics, two-step shutdown, database, Redis, limits
//! and events. Limits and events each have an in-process and a Redis implementation with the same interface.

mod amqp;
mod clock;
mod config;
mod context;
mod database;
mod error;
mod events;
mod fail_point;
mod files;
pub mod leader;
mod limits;
mod ops_http;
pub mod presence;
mod process_name;
mod readiness;
mod redis;
mod secret;
pub mod service_manager;
mod settings;
mod shutdown;
mod subscription;
pub mod telemetry;
mod throttled;
mod timed_cache;
mod unit_of_work;

pub use amqp::{FRAME_BYTES_MIN, amqp_uri};
pub use clock::Clock;
pub use config::{
    AccessLog, BrokerArgs, BrokerConfig, Config, DatabaseArgs, HttpArgs, Kept, ListenArgs, LogArgs,
    MAX_HOT_PATH_FACTOR, MetricsArgs, Origin, OtlpArgs, OtlpConfig, PlatformArgs, PlatformConfig,
    PlatformRate, Retention, RetentionArgs, bind, parse_address,
};
pub use context::Context;
pub use database::{
    Alone, Breaker, DataDirLock, Database, DatabaseOptions, Pool, Transaction, files_of, folder_of,
    give_to_owner_of, is_conflict, is_outage,
};
pub use error::StartError;
pub use events::{Event, Events, Freshness, ModerationVerb, Recorded};
pub use fail_point::{FAIL_POINTS, fail_point, has_fail_point};
pub use files::raise_file_limit;
pub use limits::{Counter, Decision, Limits, LimitsDown, Rate, Sharer, network_of};
pub use ops_http::{Measure, answer as ops_answer, serve_ops};
pub use process_name::ProcessName;
pub use readiness::{Flag, Need, Readiness, Report};
pub use redis::{Redis, RedisConnection, RedisDown};
pub use secret::Secret;
pub use settings::{
    AMQP_URL, CHAT_CLIENT_ID, CHAT_CLIENT_SECRET, CHAT_PUBLIC_KEY, CHAT_TOKEN, DATABASE_URL, PLAY_CLIENT_ID,
    PLAY_CLIENT_SECRET, PLAY_KEY, REDIS_URL,
};
pub use shutdown::{CLEANUP_PERIOD, GRACE_PERIOD, Shutdown};
pub use telemetry::{Gauge, LogFormat, init_logging, metrics_handle, start_metrics};
pub use throttled::Throttle;
pub use timed_cache::TimedCache;
pub use unit_of_work::UnitOfWork;
