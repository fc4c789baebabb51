//! Jobs, and the scheduler.

use metrics::Unit;

use super::metric::{Metric, counter, gauge, histogram};

const ALL: &str = "all";
const WORKERS: &str = "worker, scheduler";

/// Upper bounds, in seconds: from one call of a platform to a bulk sync at the real platform's pace.
const JOB: &[f64] =
    &[0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0];

pub(super) const METRICS: &[Metric] = &[
    gauge("guildhall_jobs_queued", Unit::Count, &["class"], ALL, "Jobs that could run now"),
    gauge(
        "guildhall_jobs_held",
        Unit::Count,
        &["class"],
        ALL,
        "Jobs that wait because their guild has its full share of the class",
    ),
    gauge("guildhall_jobs_running", Unit::Count, &["class"], ALL, "Jobs that run"),
    gauge(
        "guildhall_jobs_oldest_seconds",
        Unit::Seconds,
        &["class"],
        ALL,
        "How long the oldest job that could run has waited",
    ),
    gauge(
        "guildhall_jobs_dead",
        Unit::Count,
        &[],
        ALL,
        "Dead jobs that can be retried, but for those of webhooks and log channels",
    ),
    gauge("guildhall_jobs_failed", Unit::Count, &[], ALL, "Failed jobs that can be retried"),
    gauge("guildhall_jobs_paused", Unit::Count, &["class"], ALL, "1 while an operator has paused the class"),
    gauge("guildhall_guilds_paused", Unit::Count, &[], ALL, "Guilds whose jobs an operator has paused"),
    histogram(
        "messaging_process_duration_seconds",
        JOB,
        &["messaging_system", "messaging_operation_name", "messaging_destination_name", "kind", "outcome"],
        WORKERS,
        "How long a run took, by class (the destination), kind and outcome",
    ),
    histogram(
        "guildhall_job_wait_seconds",
        JOB,
        &["class"],
        WORKERS,
        "From the time at which a job could run to its run",
    ),
    counter("guildhall_jobs_rescued_total", &["kind"], "scheduler", "Jobs of dead workers that were rescued"),
    counter(
        "guildhall_jobs_unknown_total",
        &["kind"],
        WORKERS,
        "Messages of jobs whose kind this version does not know",
    ),
    gauge(
        "guildhall_schedule_lag_seconds",
        Unit::Seconds,
        &["schedule"],
        ALL,
        "How long ago the schedule's oldest tick that is not done was due",
    ),
    gauge(
        "guildhall_follow_age_seconds",
        Unit::Seconds,
        &["quantile"],
        ALL,
        "How long ago the last automatic sync of a guild that succeeded ended: of half of them (0.5), and of the oldest (1)",
    ),
    gauge(
        "guildhall_follow_stopped",
        Unit::Count,
        &[],
        ALL,
        "Guilds whose automatic syncs stopped and wait for a person",
    ),
    gauge("guildhall_scheduler_leads", Unit::Count, &[], "scheduler", "1 in the scheduler that leads"),
];
