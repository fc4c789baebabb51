//! Handlers of the routes: the chat platform for the bot (`guild`, `members`, `bans`, `channels`) and for people who
//! sign in (`authorize`, `tokens`), the game platform (`play`) and the control side (`control`).

pub(crate) mod authorize;
pub(crate) mod bans;
pub(crate) mod channels;
pub(crate) mod control;
pub(crate) mod guild;
pub(crate) mod members;
pub(crate) mod play;
pub(crate) mod tokens;
