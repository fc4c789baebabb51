//! The two platforms of a guild: the chat platform (Discord) and the game platform (Roblox).
//!
//! A wire client for each, and the pacing of both. The crate `simulator` uses the same wire
//! formats: for the clients only the base URL differs from the real hosts.

mod answer;
mod chat;
mod config;
mod context;
mod discord;
mod error;
mod pacing;
mod permissions;
mod play;
mod roblox;
mod routes;
mod wire;

pub use chat::{
    ChatBan, ChatChannel, ChatMember, ChatRole, GuildOverview, MAX_NICK_CHARS, MEMBERS_PER_PAGE, MemberCall,
    MemberChange, MemberUpdate, NewChannel, Overwrite, Principal, RoleProblem, Viewers,
};
pub use config::Platforms;
pub use context::{CallContext, Priority};
pub use discord::ChatPlatform;
pub use error::{Missing, PlatformError};
pub use pacing::forbidden_breaker::ForbiddenBreaker;
pub use permissions::Permissions;
pub use play::{GroupRole, MEMBERSHIP_USERS_PER_CALL, Ranks};
pub use roblox::PlayPlatform;
pub use wire::CallPermit;
