//! A server that implements both platforms' wire formats over HTTP, with their limits, paging, error bodies and
//! hierarchy rules, so that demos and tests run the production clients.
//!
//! The chat platform is served below `/`, `/api` and `/api/v10`, the game platform below `/cloud/v2` and `/v1`. People
//! sign in at `/oauth2/authorize`, and with the game platform at `/oauth/v1/authorize`. What people do with the bot's commands
//! and buttons is sent to the application's endpoint. The control side (`/control/...`) lets people do that, counts requests,
//! injects faults, changes state, and lets the communities live by themselves (`life`); see `GET /control/routes`.

mod application_key;
mod audit;
mod ban_log;
mod command_form;
mod conversations;
mod credentials;
mod endpoints;
mod faults;
mod fields;
mod flaw;
mod form;
mod game;
mod grants;
mod handler;
mod html;
mod huge;
mod interactions;
mod life;
mod limits;
mod load;
mod member_change;
mod message;
mod objects;
mod options;
mod outgoing;
mod pairs;
mod pauses;
mod permissions;
mod pictures;
mod reply;
mod route;
mod router;
mod server;
mod signing_keys;
mod simulator;
mod snowflake;
mod state;
mod stats;
mod stream;
mod timeline;

pub use credentials::Credentials;
pub use load::LoadError;
pub use options::{Application, RateLimit, SimulatorOptions};
pub use server::serve;
pub use state::SimulatorState;
