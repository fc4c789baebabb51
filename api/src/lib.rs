//! The HTTP API: one table of endpoints, a guard in front of them, one file for each area of the interface.
//!
//! A request goes through `http` (accept, match, body, reply), `guard` (key, guild, scope, quota) and one handler, an
//! `async fn(Call) -> Result<Reply, ApiError>`. Handlers are found by their URL: `/guilds/:guildId/members` is
//! `guilds/members.rs`. A new endpoint is a row in `routes.rs` and its handler; nothing else.

mod app;
mod audit;
mod bindings;
mod bucket;
mod call;
mod docs;
mod fields;
mod guard;
mod guilds;
mod http;
mod idempotency;
mod interactions;
mod job_call;
mod jobs;
mod lookup;
mod moderation;
mod page;
mod play;
mod remembered;
mod reverse;
mod route;
mod routes;
mod shield;
mod staff;
mod time;
mod ws;

pub use http::server::serve;
use ipnet::IpNet;

/// How this API process differs from others.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// One of several processes: it counts itself among them, so that they share the quotas while Redis is down.
    pub distributed: bool,
    /// Proxies whose `X-Forwarded-For` names the client.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may read the answers.
    pub cors_origins: Vec<String>,
}
