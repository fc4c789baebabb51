//! Plays the game platform for the SDK in `sdk/luau/src`: servers with players, in Luau, each in a virtual machine of its
//! own. What the platform forbids is an error here.
//!
//! Time is virtual, and calls of the service take a little of it, drawn by the seed; or it is real, for held ticks.

mod agenda;
mod json;
mod network;
mod script;
mod seen;
mod server;
mod shared;
mod world;

pub use network::{Network, Sent};
pub use seen::{Place, Seen};
pub use server::Server;
pub use shared::Pace;
pub use world::World;
