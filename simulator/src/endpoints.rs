//! Handlers of the routes: the chat platform for the bot (`application`, `bans`, `channels`, `commands`, `guild`, `members`,
//! `messages`), for answers to interactions (`webhooks`) and for people who sign in (`authorize`, `tokens`), the game
//! platform (`play`, `players`; for people `authorize`, `play_tokens`), `pictures` of both, and the control side
//! (`control`, and for people `client`). `gateway` is of both: the event stream, and its faults.

pub(crate) mod application;
pub(crate) mod authorize;
pub(crate) mod bans;
pub(crate) mod channels;
pub(crate) mod client;
pub(crate) mod client_form;
pub(crate) mod commands;
pub(crate) mod control;
pub(crate) mod game;
pub(crate) mod gateway;
pub(crate) mod guild;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod pictures;
pub(crate) mod play;
pub(crate) mod play_tokens;
pub(crate) mod players;
pub(crate) mod tokens;
pub(crate) mod webhooks;
