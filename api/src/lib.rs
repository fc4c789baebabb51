//! The HTTP API: one table of endpoints, and one file for each of them.
//!
//! A request goes through `server` (accept, match, body, reply), `auth` (key, guild, scope, rate limit) and one handler,
//! an `async fn(Call) -> Result<Reply, ApiError>`. An endpoint is found by its URL and method:
//! `GET /guilds/:guildId/members` is `endpoints/guilds/members/get.rs`. A new one is that file and a row in `routes.rs`.
//! Imports run from `server` down to `endpoints`, `call`, `cache`, `request` and `response`.

mod audit;
mod auth;
mod batches;
mod cache;
mod call;
#[cfg(test)]
mod call_fixture;
mod caller;
mod capacity;
mod endpoints;
mod figures;
mod heartbeats;
mod idempotency;
mod job_call;
mod live;
mod openapi;
mod options;
mod pace;
mod rate_limit;
mod request;
mod response;
mod room;
mod route;
mod routes;
mod server;
mod state;
mod turns;
mod unit_of_work;

pub use options::Options;
pub use server::accept::serve;
