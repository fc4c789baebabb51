//! The HTTP API: one table of endpoints, and one file for each of them.
//!
//! A request goes through `server` (accept, match, body, reply), `auth` (key, guild, scope, rate limit) and one handler,
//! an `async fn(Call) -> Result<Reply, ApiError>`. An endpoint is found by its URL and method:
//! `GET /guilds/:guildId/members` is `endpoints/guilds/members/get.rs`. A new one is that file and a row in `routes.rs`.
//! Imports run one way: see docs/architecture.md 3.

mod auth;
mod cache;
mod call;
mod endpoints;
mod limits;
mod live;
mod openapi;
mod request;
mod response;
mod routes;
mod schema;
mod server;
mod state;

pub use server::service::Service;
pub use state::options::Options;
