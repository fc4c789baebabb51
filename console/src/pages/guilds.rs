//! Pages of one guild, below `/console/guilds/:guild`.

mod actors;
pub(crate) mod applications;
pub(crate) mod audit;
mod avatar;
pub(crate) mod bindings;
mod by_discord_name;
mod candidates;
pub(crate) mod find;
pub(crate) mod first_run;
pub(crate) mod imports;
pub(crate) mod jobs;
pub(crate) mod keys;
pub(crate) mod log_channels;
pub(crate) mod members;
pub(crate) mod moderation;
pub(crate) mod overview;
mod paused;
pub(crate) mod people;
pub(crate) mod servers;
pub(crate) mod settings;
pub(crate) mod shield;
pub(crate) mod staff;
pub(crate) mod suggest;
pub(crate) mod sync;
mod typed;
mod waiting;
pub(crate) mod webhooks;
