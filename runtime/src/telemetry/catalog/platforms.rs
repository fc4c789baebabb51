//! Calls to the platforms, and what their limits leave.

use metrics::Unit;

use super::metric::{Metric, gauge, histogram};

const ALL: &str = "all";
const CALLERS: &str = "api, worker";

/// Upper bounds, in seconds: an answer of a platform, and the wait for the turn to ask.
const PLATFORM: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

pub(super) const METRICS: &[Metric] = &[
    histogram(
        "http_client_request_duration_seconds",
        PLATFORM,
        &[
            "platform",
            "http_request_method",
            "url_template",
            "server_address",
            "server_port",
            "http_response_status_code",
            "error_type",
        ],
        CALLERS,
        "How long calls to the platforms took; `error_type` is a status from 400 on, or why there was no answer",
    ),
    histogram(
        "guildhall_platform_paced_seconds",
        PLATFORM,
        &["platform", "http_request_method", "url_template"],
        CALLERS,
        "How long they waited for their turn, to keep the platform's limits",
    ),
    gauge(
        "guildhall_platform_budget_max",
        Unit::Count,
        &["platform"],
        ALL,
        "Calls that the platform's limit allows in its window (chat: 1 s, play: 60 s)",
    ),
    gauge(
        "guildhall_platform_budget_left",
        Unit::Count,
        &["platform", "priority"],
        ALL,
        "Calls that are left in the window, for calls somebody waits for and for bulk beside them",
    ),
    gauge(
        "guildhall_platform_paused_seconds",
        Unit::Seconds,
        &["platform"],
        ALL,
        "How much longer the platform wants no calls at all",
    ),
    gauge(
        "guildhall_platform_refusals",
        Unit::Count,
        &["platform"],
        ALL,
        "Refusals (401, 403, 429) in ten minutes: bulk calls pause at 5000",
    ),
    gauge(
        "guildhall_platform_credential_refused",
        Unit::Count,
        &["platform"],
        "api, worker, gateway",
        "1 if the platform refused the token or key (401) of this process's last call, 0 if it accepted it",
    ),
];
