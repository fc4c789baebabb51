//! Handlers of the routes: the chat platform (`guild`, `members`, `bans`, `channels`), the game platform (`play`) and
//! the control side (`control`).

pub(crate) mod bans;
pub(crate) mod channels;
pub(crate) mod control;
pub(crate) mod guild;
pub(crate) mod members;
pub(crate) mod play;
