//! Environment variables that messages name, so that operators know which setting to correct.

pub const DATABASE_URL: &str = "GUILDHALL_DATABASE_URL";
pub const AMQP_URL: &str = "GUILDHALL_AMQP_URL";
pub const REDIS_URL: &str = "GUILDHALL_REDIS_URL";
pub const CHAT_TOKEN: &str = "GUILDHALL_CHAT_TOKEN";
pub(crate) const CHAT_API_URL: &str = "GUILDHALL_CHAT_API_URL";
pub(crate) const PLAY_API_URL: &str = "GUILDHALL_PLAY_API_URL";
pub const CHAT_CLIENT_ID: &str = "GUILDHALL_CHAT_CLIENT_ID";
pub const CHAT_CLIENT_SECRET: &str = "GUILDHALL_CHAT_CLIENT_SECRET";
pub const CHAT_PUBLIC_KEY: &str = "GUILDHALL_CHAT_PUBLIC_KEY";
pub const PLAY_CLIENT_ID: &str = "GUILDHALL_PLAY_CLIENT_ID";
pub const PLAY_CLIENT_SECRET: &str = "GUILDHALL_PLAY_CLIENT_SECRET";
/// A variable of the OTLP standard.
pub(crate) const OTLP_HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
pub(crate) const OTLP_ENDPOINT: &str = "GUILDHALL_OTLP_ENDPOINT";
pub const PLAY_KEY: &str = "GUILDHALL_PLAY_KEY";
pub(crate) const PLAY_WEBHOOK_SECRET: &str = "GUILDHALL_PLAY_WEBHOOK_SECRET";
