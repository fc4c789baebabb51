//! Runs a test in a deployment, prints the processes' logs when it fails, and removes everything; and the macros that
//! declare such tests for each mode.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::deployment::Deployment;
use crate::setup::{Mode, Setup};

/// Runs in a deployment of the test's own.
pub fn run(setup: Setup, test: impl AsyncFnOnce(&Deployment)) {
    run_in(Deployment::start(setup), test);
}

/// Runs in a seeded deployment of the test's own, before any process is started.
pub fn run_unstarted(setup: Setup, test: impl AsyncFnOnce(&Deployment)) {
    run_in(Deployment::seeded(setup), test);
}

/// Runs in the shared deployment of the mode, with two guilds of the test's own.
pub fn run_shared(mode: Mode, test: impl AsyncFnOnce(&Deployment)) {
    run_in(Deployment::shared(mode), test);
}

/// Runs in the deployment that `start` makes for the test alone.
pub fn run_in(start: impl Future<Output = Deployment>, test: impl AsyncFnOnce(&Deployment)) {
    let test = |deployment: Rc<Deployment>| async move { test(&deployment).await }.boxed_local();
    run_boxed(start.boxed_local(), Box::new(test));
}

type Test<'a> = Box<dyn FnOnce(Rc<Deployment>) -> LocalBoxFuture<'a, ()> + 'a>;

/// Compiled once, and not for each test.
fn run_boxed(start: LocalBoxFuture<'_, Deployment>, test: Test<'_>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let deployment = Rc::new(start.await);
        let outcome = AssertUnwindSafe(test(deployment.clone())).catch_unwind().await;
        if let Err(panic) = outcome {
            deployment.print_logs();
            resume_unwind(panic);
        }
    });
}

/// Declares each test once for each mode: `embedded::name` and `distributed::name`. A test runs in the shared
/// deployment;
/// `name(own)` has its own, and so has `name(|setup| …)` with a changed [`Setup`].
#[macro_export]
macro_rules! both_modes {
    ($($name:ident $(($($setup:tt)+))?),+ $(,)?) => {
        mod embedded {
            $($crate::both_modes!(@one Embedded, $name $(, $($setup)+)?);)+
        }
        mod distributed {
            $($crate::both_modes!(@one Distributed, $name $(, $($setup)+)?);)+
        }
    };
    (@one $mode:ident, $name:ident) => {
        #[test]
        fn $name() {
            $crate::run_shared($crate::Mode::$mode, super::$name);
        }
    };
    (@one $mode:ident, $name:ident, own) => {
        #[test]
        fn $name() {
            $crate::run($crate::Setup::new($crate::Mode::$mode), super::$name);
        }
    };
    (@one $mode:ident, $name:ident, $setup:expr) => {
        #[test]
        fn $name() {
            let change: fn($crate::Setup) -> $crate::Setup = $setup;
            $crate::run(change($crate::Setup::new($crate::Mode::$mode)), super::$name);
        }
    };
}

/// Declares each test in one mode, in turn: for what does not depend on the mode, such as pages, words and checks of
/// input. A file may have both this and [`both_modes!`].
#[macro_export]
macro_rules! in_turn {
    (@take $mode:ident,) => {};
    (@skip $mode:ident,) => {};
    (@take $mode:ident, $name:ident $(($($setup:tt)+))?, $($rest:tt)*) => {
        $crate::both_modes!(@one $mode, $name $(, $($setup)+)?);
        $crate::in_turn!(@skip $mode, $($rest)*);
    };
    (@skip $mode:ident, $name:ident $(($($setup:tt)+))?, $($rest:tt)*) => {
        $crate::in_turn!(@take $mode, $($rest)*);
    };
    ($($name:ident $(($($setup:tt)+))?),+ $(,)?) => {
        mod in_turn {
            use super::*;
            mod embedded {
                $crate::in_turn!(@take Embedded, $($name $(($($setup)+))?,)+);
            }
            mod distributed {
                $crate::in_turn!(@skip Distributed, $($name $(($($setup)+))?,)+);
            }
        }
    };
}

/// Declares tests that apply only to the distributed mode.
#[macro_export]
macro_rules! distributed_only {
    ($($name:ident $(($($setup:tt)+))?),+ $(,)?) => {
        mod distributed {
            $($crate::both_modes!(@one Distributed, $name $(, $($setup)+)?);)+
        }
    };
}
