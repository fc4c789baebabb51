//! The two platforms of a guild: the chat platform (Discord) and the game platform (Roblox).
//!
//! A wire client for each, and the pacing of both. The crate `simulator` uses the same wire formats: for the clients only the
//! base URL differs from the real hosts. And a client for the hosts that take guilds' webhooks.

mod answer;
mod channel;
mod chat;
mod config;
mod context;
mod credentials;
mod discord;
mod error;
mod exchange;
mod failure;
mod failures;
#[cfg(test)]
mod fuzz;
mod gauges;
mod guild_access;
mod interaction_key;
mod nickname;
mod oauth;
mod pacing;
mod permissions;
mod pictures;
mod play;
mod play_sign_in;
mod receivers;
mod roblox;
mod routes;
mod sign_in;
mod span;
mod sync_rules;
mod webhook_secret;
mod wire;

pub use channel::{ChatChannel, NewChannel, Overwrite, Principal, Viewers};
pub use chat::{
    Application, ChatBan, ChatMember, ChatRole, ChatUser, Gateway, GuildOverview, KnownUser, MAX_NICK_CHARS,
    MEMBERS_PER_PAGE, MemberCall, MemberChange, MemberUpdate, NamedMember, RoleProblem,
};
pub use config::{FollowPace, Platforms};
pub use context::{CallContext, Priority};
pub use discord::{BanDeed, ChatPlatform, Delivery, Embed, MAX_EMBED_CHARS, MAX_EMBEDS, TextChannel};
pub use error::{Missing, PlatformError};
pub use failure::PLATFORM_UNAVAILABLE;
pub use failures::CallFailure;
pub use guild_access::GuildAccess;
pub use interaction_key::{InteractionKey, REPLAY_WINDOW};
pub use nickname::{BINDING_WORDS, GUILD_WORDS, NameWords, is_template, needs_rank, nickname, template_rule};
pub use oauth::{ATTEMPT_SECONDS, Attempt, Begun, IdTokenError, SignInError};
pub use pacing::budget::{Budget, CountedBy};
pub use pacing::forbidden_breaker::ForbiddenBreaker;
pub use permissions::Permissions;
pub use pictures::{Picture, PictureOf, Pictures};
pub use play::{
    GroupRole, MEMBERSHIP_USERS_PER_CALL, Memberships, NAMES_PER_CALL, PlayNames, Player, Profile,
};
pub use play_sign_in::PlaySignIn;
pub use receivers::{Message, Receivers, Unreached};
pub use roblox::{PlayPlatform, Universe};
pub use sign_in::{Person, SignIn};
pub use sync_rules::{Change, GuildRules, Reasons, SyncedPlayer, Verdict, Watched, judge};
pub use webhook_secret::WebhookSecret;
pub use wire::{CallPermit, Standing};
