//! Jobs. The row is authoritative; the broker only distributes it (docs/operations.md 1).
//!
//! `queued → running → succeeded | queued (retry) | failed | dead | cancelled`; a parent with open children is
//! `waiting`, a job beyond its guild's share in flight is `held`. Each claim raises the fencing token, and every later
//! write of that run names it and the process, so a stale worker changes no row. Times are the database's, see [`time`].
//!
//! Modules: [`insert`], [`claim`], [`turns`], [`run`] (what a claimed job's holder writes), [`rescue`], [`family`]
//! (parents and chunks), [`cancel`], [`retry`], [`history`], [`listing`],
//! [`deliveries`] (of webhooks), [`moving`] (what live sockets show).

mod batch;
pub mod cancel;
pub mod claim;
pub mod deliveries;
pub mod family;
pub mod history;
pub mod insert;
pub mod listing;
mod model;
pub mod moving;
pub mod old;
pub mod rescue;
pub mod retry;
pub mod run;
mod status;
pub mod time;
pub mod turns;

pub use model::{
    Claim, Class, Column, Entity, Failure, JobMessage, Known, Model, Progress, Published, State,
};
pub use status::Status;
