//! What guards a request: who sends it, from which page, and what they may do.

pub(crate) mod cookies;
pub(crate) mod limited_sessions;
pub(crate) mod live;
pub(crate) mod live_refusal;
pub(crate) mod origin;
pub(crate) mod own_page;
pub(crate) mod secret;
pub(crate) mod session;
pub(crate) mod strangers;
pub(crate) mod tokens;
