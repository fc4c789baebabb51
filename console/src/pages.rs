//! The pages, found by their URL below `/console`.

pub(crate) mod applying;
pub(crate) mod guilds;
pub(crate) mod home;
pub(crate) mod instance;
pub(crate) mod link;
pub(crate) mod linking;
pub(crate) mod sessions;
pub(crate) mod sign_in;
mod synced;
pub(crate) mod theme;
