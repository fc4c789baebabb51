//! The audit log in words: who did what to whom, for pages and for the channels of the chat platform.

pub mod action_table;
mod names;
mod sentence;
mod style;

pub use action_table::{AREAS, Action, Target};
pub use names::{Ids, Names};
pub use sentence::{reason, sentence};
pub use style::Style;
