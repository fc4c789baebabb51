//! What every test stands on: a world of real processes in one of the two modes, clients that check each answer's
//! envelope, the simulator's control side, and private servers to be killed.

mod bulk;
mod client;
mod command;
mod contract;
mod database;
mod fixture;
mod job_rows;
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

pub use client::{Answer, Api, http_client};
pub use command::{Finished, run_command};
pub use contract::contract;
pub use database::TestDatabase;
pub use fixture::{Fixture, Guild, Member, OUTSIDER, key_text};
pub use job_rows::{JobClass, JobRow, JobState};
pub use operate::{Roles, Running};
pub use private::PrivateServer;
pub use process::{Process, free_address};
pub use rows::Rows;
pub use servers::{Servers, job_queue};
pub use simulator::{Simulator, Update};
pub use wait::eventually;
pub use world::{Mode, Setup, World};

/// Starts a world, runs the test in it, shows the processes' logs when it fails, and removes everything.
pub fn run(setup: Setup, test: impl AsyncFnOnce(&World)) {
    play(World::start(setup), test);
}

/// Like [`run`], in a world that is seeded and in which no process runs yet.
pub fn run_unstarted(setup: Setup, test: impl AsyncFnOnce(&World)) {
    play(World::seeded(setup), test);
}

fn play(start: impl Future<Output = World>, test: impl AsyncFnOnce(&World)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let world = start.await;
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
#[macro_export]
macro_rules! both_modes {
    ($($name:ident $(($setup:expr))?),+ $(,)?) => {
        mod embedded {
            $($crate::both_modes!(@one Embedded, $name $(, $setup)?);)+
        }
        mod distributed {
            $($crate::both_modes!(@one Distributed, $name $(, $setup)?);)+
        }
    };
    (@one $mode:ident, $name:ident $(, $setup:expr)?) => {
        #[test]
        fn $name() {
            let setup = $crate::stage::Setup::new($crate::stage::Mode::$mode);
            $(let change: fn($crate::stage::Setup) -> $crate::stage::Setup = $setup; let setup = change(setup);)?
            $crate::stage::run(setup, super::$name);
        }
    };
}
pub use crate::both_modes;

/// Declares tests of a world that only the distributed mode has.
#[macro_export]
macro_rules! distributed_only {
    ($($name:ident $(($setup:expr))?),+ $(,)?) => {
        mod distributed {
            $($crate::both_modes!(@one Distributed, $name $(, $setup)?);)+
        }
    };
}
pub use crate::distributed_only;
