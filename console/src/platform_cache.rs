//! What the platforms say of accounts and groups, cached: pages name them.

pub(crate) mod accounts;
pub(crate) mod groups;
mod late;
pub(crate) mod name_search;
pub(crate) mod names;
pub(crate) mod roles;
