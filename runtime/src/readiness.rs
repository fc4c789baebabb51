//! The dependencies of this process: a shared registry of named checks and flags, served at /health/ready.
//!
//! A required dependency that is down takes the process out of rotation (503). An optional one is only listed: without
//! Redis look-ups still work, so the API must keep its traffic.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use serde::Serialize;

use crate::shutdown::Shutdown;

/// A check that has not completed by then counts as down.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether the process can work without a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

type Check = Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

#[derive(Clone, Default)]
pub struct Readiness {
    checks: Arc<RwLock<BTreeMap<&'static str, (Need, Check)>>>,
    shutdown: Option<Shutdown>,
}

/// Body of /health/ready.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct Report {
    /// `ready`, `not_ready` or `stopping`.
    pub status: &'static str,
    /// `ok` or `down` for each dependency.
    pub dependencies: BTreeMap<&'static str, &'static str>,
}

impl Report {
    pub fn is_ready(&self) -> bool {
        self.status == "ready"
    }
}

/// Set by a task that knows the dependency's state, such as a connection supervisor. Starts as down.
#[derive(Clone, Debug)]
pub struct Flag(Arc<AtomicBool>);

impl Flag {
    pub fn set(&self, up: bool) {
        self.0.store(up, Ordering::Relaxed);
    }
}

impl Readiness {
    /// Not ready from the start of shutdown, so that load balancers stop routing here while work in flight ends.
    pub fn new(shutdown: &Shutdown) -> Self {
        Self { checks: Arc::default(), shutdown: Some(shutdown.clone()) }
    }

    /// Adds a check that calls the dependency. A second one of the same name replaces the first.
    pub fn check<F, Answer>(&self, name: &'static str, need: Need, check: F)
    where
        F: Fn() -> Answer + Send + Sync + 'static,
        Answer: Future<Output = bool> + Send + 'static,
    {
        let check: Check = Arc::new(move || Box::pin(check()));
        self.checks.write().unwrap_or_else(PoisonError::into_inner).insert(name, (need, check));
    }

    /// Adds a dependency whose state another task maintains.
    pub fn flag(&self, name: &'static str, need: Need) -> Flag {
        let flag = Flag(Arc::new(AtomicBool::new(false)));
        let state = flag.clone();
        self.check(name, need, move || std::future::ready(state.0.load(Ordering::Relaxed)));
        flag
    }

    pub async fn report(&self) -> Report {
        let checks: Vec<_> = {
            let checks = self.checks.read().unwrap_or_else(PoisonError::into_inner);
            checks.iter().map(|(name, (need, check))| (*name, *need, check())).collect()
        };
        let answers = join_all(checks.into_iter().map(|(name, need, check)| async move {
            (name, need, tokio::time::timeout(CHECK_TIMEOUT, check).await.unwrap_or(false))
        }))
        .await;
        let blocked = answers.iter().any(|(_, need, up)| *need == Need::Required && !up);
        let stopping = self.shutdown.as_ref().is_some_and(|shutdown| shutdown.leaving().is_cancelled());
        let status = match (stopping, blocked) {
            (true, _) => "stopping",
            (false, true) => "not_ready",
            (false, false) => "ready",
        };
        let dependencies =
            answers.iter().map(|(name, _, up)| (*name, if *up { "ok" } else { "down" })).collect();
        Report { status, dependencies }
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readiness").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn required_dependencies_decide_optional_ones_are_listed() {
        let shutdown = Shutdown::new();
        let ready = Readiness::new(&shutdown);
        ready.check("database", Need::Required, || async { true });
        let redis = ready.flag("redis", Need::Optional);
        let broker = ready.flag("broker", Need::Required);
        assert_eq!(ready.report().await.status, "not_ready");
        broker.set(true);
        let report = ready.report().await;
        assert!(report.is_ready(), "{report:?}");
        assert_eq!(report.dependencies["redis"], "down");
        redis.set(true);
        assert_eq!(ready.report().await.dependencies["redis"], "ok");
        shutdown.begin();
        assert_eq!(ready.report().await.status, "stopping");
    }

    #[tokio::test]
    async fn a_check_that_hangs_counts_as_down() {
        let ready = Readiness::default();
        ready.check("database", Need::Required, std::future::pending);
        assert_eq!(ready.report().await.dependencies["database"], "down");
    }
}
