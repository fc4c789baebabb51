//! Of every process: what it is, and the servers that it needs.

use metrics::Unit;

use super::metric::{Metric, counter, gauge};

const ALL: &str = "all";
const DISTRIBUTED: &str = "all distributed";

pub(super) const METRICS: &[Metric] = &[
    gauge("guildhall_build_info", Unit::Count, &["version"], ALL, "1, with the version of the program"),
    gauge(
        "guildhall_processes",
        Unit::Count,
        &["role"],
        ALL,
        "Living processes by role, by their heartbeats; `serve` has each role",
    ),
    gauge(
        "guildhall_dependency_up",
        Unit::Count,
        &["dependency"],
        ALL,
        "1 if this process reaches the dependency, as in /health/ready",
    ),
    gauge(
        "guildhall_database_away",
        Unit::Count,
        &[],
        ALL,
        "1 while the database does not answer this process",
    ),
    gauge(
        "db_client_connection_count",
        Unit::Count,
        &["db_client_connection_pool_name", "db_client_connection_state"],
        ALL,
        "Connections to the database by pool and state, `used` or `idle`",
    ),
    gauge(
        "db_client_connection_max",
        Unit::Count,
        &["db_client_connection_pool_name"],
        ALL,
        "Connections that the pool may have",
    ),
    gauge(
        "db_client_connection_pending_requests",
        Unit::Count,
        &["db_client_connection_pool_name"],
        ALL,
        "Callers that wait for a connection of the pool",
    ),
    counter("guildhall_redis_outages_total", &[], DISTRIBUTED, "Times at which Redis stopped answering"),
    counter(
        "guildhall_events_lost_total",
        &[],
        DISTRIBUTED,
        "Events that were not sent over Redis; they are read from the database, within a second",
    ),
    counter(
        "guildhall_trace_spans_total",
        &["outcome"],
        ALL,
        "Spans of traces by what became of them: `exported`, `failed` (the collector did not take them) or `dropped` (it \
         was too slow)",
    ),
];
