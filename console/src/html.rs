//! What pages write their HTML with.

pub(crate) mod candidate;
pub(crate) mod chart;
pub(crate) mod choice;
pub(crate) mod client;
pub(crate) mod form;
pub(crate) mod format;
pub(crate) mod list;
pub(crate) mod mark;
pub(crate) mod shell;
pub(crate) mod theme;
