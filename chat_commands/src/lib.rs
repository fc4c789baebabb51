//! Commands of the chat platform, such as /link: one file for each in `commands`, one list there. An interaction is what the
//! platform sends when somebody uses one, presses a button or sends a form; this crate does not know by which way it came.
//!
//! Commands read through `entities`, as pages of the console do; each change is a call of the API in this process
//! (`people::Api`), so that checks, transactions, audit entries and limits exist once. What a person may do are their rights
//! in Guildhall. `answers` keeps the platform's time limit of 3 s.

mod answers;
mod call;
mod command;
mod commands;
mod definition;
mod editor;
mod follow;
mod form;
mod interaction;
mod message;
mod person;
mod registration;
mod stream;

use std::sync::Arc;

use people::{Api, RightsCache};
use platforms::Platforms;
use runtime::Context;

pub use interaction::{Interaction, Unreadable};
pub use registration::{Others, Registered, are_registered, register};

/// Where the chat platform sends interactions.
pub const INTERACTIONS_PATH: &str = "/chat/interactions";

/// What all commands share.
pub struct ChatCommands {
    pub context: Context,
    pub platforms: Platforms,
    pub api: Arc<dyn Api>,
    pub rights: Arc<RightsCache>,
    /// What browsers see, without a slash at the end; `None`: answers have no links to pages.
    pub public_url: Option<String>,
}
