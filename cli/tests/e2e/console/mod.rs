//! The console through HTTP, as a browser without JavaScript: `client` signs in and posts forms, `page` reads what comes
//! back, one file for each area of pages. What must hold for all pages is in `security`.

mod browser;
mod client;
mod example;
mod instance;
mod members;
mod moderation;
mod page;
mod security;
mod shield;
mod staff;

pub(crate) use client::{Console, link};
pub(crate) use page::Page;
