//! Shared code of tests and benchmarks: databases cloned from a migrated template, deployments of the product's
//! processes in both modes, clients that check each answer, faults (a TCP proxy, kills) and private servers.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails by panicking")]
#![expect(clippy::return_self_not_must_use, reason = "an assertion is worth making without its answer")]

mod answer;
mod chromium;
mod cleanup;
mod client;
mod collector;
mod command;
mod connection;
pub mod console;
mod contract;
mod database;
mod deployment;
mod fixture;
mod fuzz;
mod job_rows;
mod keeper;
mod logs;
mod objects;
mod operate;
mod platforms;
mod postgres;
mod private_server;
mod process;
pub mod proxy;
mod receiver;
mod rows;
mod run;
mod servers;
mod setup;
mod shared;
mod simulator;
mod sqlite;
mod taker;
mod terminal;
mod wait;

pub use answer::Answer;
pub use chromium::Chromium;
pub use client::{Api, http_builder, http_client};
pub use collector::{Collector, TraceSpan};
pub use command::{Finished, run_command};
pub use contract::contract;
pub use database::{TestDatabase, guild_row};
pub use deployment::Deployment;
pub use fixture::{Fixture, Guild, Member, OUTSIDER, key_text, key_with};
pub use fuzz::fuzz;
pub use job_rows::{JobClass, JobRow, JobState};
pub use keeper::keep;
pub use logs::{Logs, logs};
pub use objects::{Ids, OUTSIDE, go_on_duty, kind_of};
pub use postgres::postgres_program;
pub use private_server::PrivateServer;
pub use process::{Process, Roles, Running, Spawn, binary, free_address, old_binary, signal};
pub use receiver::{Received, Receiver};
pub use rows::Rows;
pub use run::{run, run_in, run_shared, run_unstarted};
pub use servers::{Namespace, Servers, job_queue};
pub use setup::{Mode, Setup};
pub use simulator::{Simulator, Update};
pub use terminal::run_on_terminal;
pub use wait::{FELT, eventually, eventually_ok, until};
