//! What every test stands on: a world of real processes in one of the two modes, clients that check each answer's
//! envelope, the simulator's control side, and private servers to be killed.

mod client;
mod command;
mod contract;
mod database;
mod fixture;
mod operate;
mod private;
mod process;
mod rows;
mod servers;
mod simulator;
mod wait;
mod world;

use std::panic::{AssertUnwindSafe, resume_unwind};

use futures_util::FutureExt;

pub(crate) use client::{Answer, Api, http_client};
pub(crate) use command::{Finished, run_command};
pub(crate) use contract::contract;
pub(crate) use database::TestDatabase;
pub(crate) use fixture::{Fixture, Guild, Member, key_text};
pub(crate) use private::PrivateServer;
pub(crate) use process::{Process, free_address};
pub(crate) use rows::Rows;
pub(crate) use servers::Servers;
pub(crate) use wait::eventually;
pub(crate) use world::{Mode, Setup, World};

/// Starts a world, runs the test in it, shows the processes' logs when it fails, and removes everything.
pub(crate) fn run(setup: Setup, test: impl AsyncFnOnce(&World)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let world = World::start(setup).await;
        let outcome = AssertUnwindSafe(test(&world)).catch_unwind().await;
        if outcome.is_err() {
            world.print_logs();
        }
        world.close().await;
        if let Err(panic) = outcome {
            resume_unwind(panic);
        }
    });
}

/// Declares each test once for each mode: `embedded::name` and `distributed::name`. A second argument changes the
/// world's [`Setup`].
macro_rules! both_modes {
    ($($name:ident $(($setup:expr))?),+ $(,)?) => {
        mod embedded {
            $(crate::harness::both_modes!(@one Embedded, $name $(, $setup)?);)+
        }
        mod distributed {
            $(crate::harness::both_modes!(@one Distributed, $name $(, $setup)?);)+
        }
    };
    (@one $mode:ident, $name:ident $(, $setup:expr)?) => {
        #[test]
        fn $name() {
            let setup = crate::harness::Setup::new(crate::harness::Mode::$mode);
            $(let change: fn(crate::harness::Setup) -> crate::harness::Setup = $setup; let setup = change(setup);)?
            crate::harness::run(setup, super::$name);
        }
    };
}
pub(crate) use both_modes;

/// Declares tests of a world that only the distributed mode has.
macro_rules! distributed_only {
    ($($name:ident $(($setup:expr))?),+ $(,)?) => {
        mod distributed {
            $(crate::harness::both_modes!(@one Distributed, $name $(, $setup)?);)+
        }
    };
}
pub(crate) use distributed_only;
