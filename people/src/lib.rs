//! What pages and chat commands share: what a person may do in a guild, and the API of this process as they call it on the
//! person's behalf. They change nothing themselves, so that checks, transactions, audit entries and limits exist once.

pub mod actions;
mod api;
pub mod application_button;
pub mod audit;
pub mod chat_text;
pub mod format;
pub mod labels;
mod rights;
mod synced;
mod typed_player;
mod unnamed;
pub mod values;

pub use api::{Api, ApiAnswer, ApiCall, Caller};
pub use rights::{Needs, Rights, RightsCache, RightsError, Viewer};
pub use synced::synced;
pub use typed_player::typed_player;
pub use unnamed::unnamed;
