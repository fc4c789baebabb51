//! Tasks of people, from the first page to the effect and back.

mod bindings;
mod first_run;
mod keys;
mod moderation;
mod servers;
mod staff;
mod sync;
