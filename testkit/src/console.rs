//! The console as a browser without JavaScript: `client` signs in and posts forms, `page` reads what comes back.

mod client;
mod form;
mod html;
mod page;

pub use client::{Console, SESSION, link};
pub use form::FoundForm;
pub use html::{all, attribute, text};
pub use page::Page;
