//! The console as a browser without JavaScript: `client` signs in and posts forms, `page` reads what comes back.

mod client;
mod crawl;
mod form;
mod html;
mod linking;
mod page;

pub use client::{Console, SESSION, link};
pub use crawl::{crawl, kind_of_page};
pub use form::FoundForm;
pub use html::{all, attribute, text};
pub use linking::{connect_accounts, decide, go_away, link_page, prove_by_profile, with_both_platforms};
pub use page::Page;
