//! The console through HTTP, as a browser without JavaScript: `client` signs in and posts forms, `page` reads what comes
//! back, one file for each area of pages. Tests of all pages are in `security`.

mod applications;
mod audit;
mod bindings;
mod browser;
mod client;
mod dead_ends;
mod errors;
mod example;
mod export;
mod find;
mod form;
mod forms;
mod html;
mod instance;
mod jobs;
mod keys;
mod members;
mod moderation;
mod names;
mod overview;
mod own_matters;
mod page;
mod paused;
mod security;
mod servers;
mod settings;
mod shield;
mod size;
mod staff;
mod staff_lists;
mod sync;
mod undo;

pub(crate) use client::{Console, link};
pub(crate) use page::Page;
