//! The span of a job. Each line below it carries the job's ids and the id of the request that caused it.

use entities::GuildId;
use entities::job::Model;
use runtime::telemetry::SPANS;
use tracing::Span;

/// It has no parent: a run is no part of what claimed or rescued it.
pub(crate) fn of(job: &Model) -> Span {
    tracing::error_span!(
        target: SPANS,
        parent: None,
        "job",
        job.id = %job.job_id,
        job.kind = job.kind,
        job.attempt = job.attempt,
        guild.id = job.guild_id.map(GuildId::get),
        request.id = job.request_id,
    )
}
