//! Handlers of the routes: the chat platform for the bot (`guild`, `members`, `bans`, `channels`) and for people who
//! sign in (`authorize`, `tokens`), the game platform (`play`; for people `authorize`, `play_tokens`) and the control
//! side (`control`).

pub(crate) mod authorize;
pub(crate) mod bans;
pub(crate) mod channels;
pub(crate) mod client_form;
pub(crate) mod control;
pub(crate) mod guild;
pub(crate) mod members;
pub(crate) mod play;
pub(crate) mod play_tokens;
pub(crate) mod tokens;
