//! A row of the route table.

use entities::api_key::Scope;
use futures_util::future::BoxFuture;
use http::Method;

use crate::call::Call;
use crate::call::operation::Operation;
use crate::limits::rate_limit::RateLimit;
use crate::response::error::ApiError;
use crate::response::reply::Reply;

/// Default limit of a body, bytes (docs/rules.md 3).
pub(crate) const BODY_LIMIT: usize = 256 * 1024;
/// The same for an import of 10,000 users (docs/rules.md 3).
pub(crate) const IMPORT_BODY_LIMIT: usize = 4 * 1024 * 1024;

pub(crate) type Handler = fn(Call) -> BoxFuture<'static, Result<Reply, ApiError>>;

/// An endpoint's file: its handler and its documentation.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) handle: Handler,
    pub(crate) operation: fn() -> Operation,
    /// The module below `endpoints`.
    #[cfg(test)]
    pub(crate) module: &'static str,
}

/// Which scope a key must have for an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Scope(Scope),
    /// The scope of the job's kind: the handler loads the job and checks it.
    ScopeOfJob,
}

impl std::fmt::Display for Needs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scope(scope) => scope.fmt(f),
            Self::ScopeOfJob => f.write_str("that of the job's kind"),
        }
    }
}

/// How many requests of one guild run at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// A few at a time.
    InTurns,
    /// All at the same time: most of them only note something in memory, which a client that leaves may interrupt.
    InMemory,
    /// Waiting requests run as one batch.
    InBatches,
    /// As jobs: refused while its rate limit cannot be counted; other endpoints then count per process.
    AsJobs,
}

/// An endpoint's row.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: Method,
    /// Parameters are in braces: `/lookup/chat/{chatId}`.
    pub(crate) path: &'static str,
    pub(crate) limit: RateLimit,
    pub(crate) needs: Needs,
    pub(crate) body_limit: usize,
    /// Supports `Idempotency-Key`; a POST that only reads does not.
    pub(crate) writes: bool,
    /// Its answer is shown once and never kept: refuses `Idempotency-Key`.
    pub(crate) answers_secret: bool,
    pub(crate) runs: Runs,
    /// Answers from memory while the database is away, also for a key that was read before.
    pub(crate) serves_stale: bool,
    pub(crate) endpoint: Endpoint,
}

/// Endpoints documented together.
#[derive(Debug)]
pub(crate) struct Area {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) routes: &'static [Route],
}

/// Calls of a handler whose transaction conflicts with another one: a deadlock ends one of two, which
/// succeeds after the other.
const TRIES: u32 = 4;

impl Route {
    /// Runs the handler. A change that conflicted with another one and was rolled back is repeated: effects
    /// follow the commit, so it had none.
    pub(crate) async fn run(&self, call: Call) -> Result<Reply, ApiError> {
        // What is only noted in memory meets no other change. Boxed, because others need no room for a second call.
        if self.writes && self.runs != Runs::InMemory {
            Box::pin(self.change(call)).await
        } else {
            (self.endpoint.handle)(call).await
        }
    }

    async fn change(&self, mut call: Call) -> Result<Reply, ApiError> {
        for _ in 1..TRIES {
            let again = call.again();
            match (self.endpoint.handle)(call).await {
                Err(error) if error.parts().repeatable => call = again,
                result => return result,
            }
        }
        (self.endpoint.handle)(call).await
    }

    /// Waits for other requests of its guild: writes, and reads that the database works for.
    pub(crate) fn takes_turns(&self) -> bool {
        let reads_much = matches!(self.limit, RateLimit::StaffRead | RateLimit::AuditLogsRead);
        (self.writes || reads_much) && self.runs == Runs::InTurns
    }

    /// Its path names the server that calls; in other paths a server is what the call is about.
    pub(crate) fn is_of_server(&self) -> bool {
        matches!(self.limit, RateLimit::ServerCommands | RateLimit::CommandAck)
    }

    /// Its body names the server that calls, so it is counted when that is read.
    pub(crate) fn counts_by_body(&self) -> bool {
        self.limit == RateLimit::ServerTick
    }

    pub(crate) const fn new(
        method: Method,
        path: &'static str,
        limit: RateLimit,
        scope: Scope,
        endpoint: Endpoint,
    ) -> Self {
        let writes = !matches!(method, Method::GET);
        let needs = Needs::Scope(scope);
        Self {
            method,
            path,
            limit,
            needs,
            body_limit: BODY_LIMIT,
            writes,
            answers_secret: false,
            runs: Runs::InTurns,
            serves_stale: false,
            endpoint,
        }
    }

    /// A POST that changes nothing.
    pub(crate) const fn reads(mut self) -> Self {
        self.writes = false;
        self
    }

    /// The answer holds a secret that is not stored, not even for repeats.
    pub(crate) const fn answers_secret(mut self) -> Self {
        self.answers_secret = true;
        self
    }

    /// Raises the body limit.
    pub(crate) const fn takes_up_to(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Changes a job: needs the scope of its kind instead.
    pub(crate) const fn changes_job(mut self) -> Self {
        self.needs = Needs::ScopeOfJob;
        self
    }

    pub(crate) const fn serves_stale(mut self) -> Self {
        self.serves_stale = true;
        self
    }

    pub(crate) const fn in_memory(mut self) -> Self {
        self.runs = Runs::InMemory;
        self
    }

    pub(crate) const fn batches(mut self) -> Self {
        self.runs = Runs::InBatches;
        self
    }

    pub(crate) const fn runs_as_job(mut self) -> Self {
        self.runs = Runs::AsJobs;
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use sea_orm::DbErr;
    use serde_json::json;

    use super::*;
    use crate::call::fixture::CallFixture;

    static CALLS: AtomicU32 = AtomicU32::new(0);

    fn route(method: Method, handle: Handler) -> Route {
        let operation = || Operation::new("test", "");
        let endpoint = Endpoint { handle, operation, module: "" };
        Route::new(method, "/test", RateLimit::StaffWrite, Scope::Staff, endpoint)
    }

    fn meets_another_one_twice(_call: Call) -> BoxFuture<'static, Result<Reply, ApiError>> {
        Box::pin(async {
            match CALLS.fetch_add(1, Ordering::SeqCst) {
                0 | 1 => Err(DbErr::RecordNotInserted.into()),
                _ => Reply::data(&json!({})),
            }
        })
    }

    fn always_meets_another_one(_call: Call) -> BoxFuture<'static, Result<Reply, ApiError>> {
        CALLS.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Err(DbErr::RecordNotInserted.into()) })
    }

    #[tokio::test]
    async fn a_change_that_met_another_one_is_made_again_and_not_for_ever() {
        let fixture = CallFixture::new().await;
        let again = route(Method::POST, meets_another_one_twice);
        assert!(again.run(fixture.call()).await.is_ok());
        assert_eq!(CALLS.swap(0, Ordering::SeqCst), 3);
        let never = route(Method::POST, always_meets_another_one);
        let error = never.run(fixture.call()).await.err().unwrap();
        assert_eq!(error.parts().word, "database_unavailable");
        assert_eq!(CALLS.swap(0, Ordering::SeqCst), TRIES);
        // A call that only reads has rolled nothing back.
        let read = route(Method::GET, always_meets_another_one);
        assert!(read.run(fixture.call()).await.is_err());
        assert_eq!(CALLS.swap(0, Ordering::SeqCst), 1);
    }
}
