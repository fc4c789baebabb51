//! The span of a job. Each line below it carries the job's ids and the id of the request that caused it.

use entities::GuildId;
use entities::job::Model;
use runtime::telemetry::{SPANS, traces};
use tracing::{Span, field};

/// It has no parent in this process: a run is no part of what claimed or rescued it. Its trace is that of the span that
/// enqueued the job, which each run also links, so that a retry shows what it repeats.
pub(crate) fn of(job: &Model) -> Span {
    let span = tracing::error_span!(
        target: SPANS,
        parent: None,
        "job",
        job.id = %job.job_id,
        job.kind = job.kind,
        job.attempt = job.attempt,
        guild.id = job.guild_id.map(GuildId::get),
        request.id = job.request_id,
        trace_id = field::Empty,
    );
    let cause = job.traceparent.as_deref();
    traces::link(&span, cause);
    traces::begin(&span, cause);
    span
}
