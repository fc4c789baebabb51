//! Requests, their connections and sockets, and what answers them without the database.

use metrics::Unit;

use super::metric::{Metric, counter, gauge, histogram};

const API: &str = "api";

/// Upper bounds, in seconds: what a request of the API takes, from memory to a waited-for job.
const REQUEST: &[f64] =
    &[0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

pub(super) const METRICS: &[Metric] = &[
    histogram(
        "http_server_request_duration_seconds",
        REQUEST,
        &["http_request_method", "url_scheme", "http_route", "http_response_status_code"],
        API,
        "From the request to the begin of its answer; a method that the route lacks is `_OTHER`",
    ),
    counter(
        "guildhall_http_connections_refused_total",
        &[],
        API,
        "Connections that were closed because there are too many",
    ),
    counter("guildhall_cache_hits_total", &["cache"], API, "Look-ups that the cache answered"),
    counter("guildhall_cache_misses_total", &["cache"], API, "Look-ups that went on to the database"),
    gauge(
        "guildhall_cache_entries",
        Unit::Count,
        &["cache"],
        API,
        "Entries of the cache; of `moderation` guilds, with their bans, mutes and links",
    ),
    gauge("guildhall_cache_bytes", Unit::Bytes, &["cache"], API, "Memory of the caches of lists and guilds"),
    counter(
        "guildhall_rate_limit_grants_total",
        &[],
        API,
        "Calls to Redis for rate limits: far fewer than requests",
    ),
    gauge(
        "guildhall_live_sockets",
        Unit::Count,
        &[],
        API,
        "Live sockets that are open or wait for their turn to open",
    ),
    counter(
        "guildhall_live_closed_total",
        &["code"],
        API,
        "Live sockets that were closed from here, by the code that their client got",
    ),
    counter("guildhall_dashboard_frames_total", &[], API, "Frames of dashboards"),
];
