//! The chat platform's event stream.

use metrics::Unit;

use super::metric::{Metric, counter, gauge, histogram};

const GATEWAY: &str = "gateway";

/// Upper bounds, in seconds: until a member who joined has their roles.
const LAG: &[f64] = &[0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

pub(super) const METRICS: &[Metric] = &[
    gauge(
        "guildhall_gateway_leads",
        Unit::Count,
        &["shard"],
        GATEWAY,
        "1 in the process that reads the shard",
    ),
    gauge(
        "guildhall_gateway_connected",
        Unit::Count,
        &["shard"],
        GATEWAY,
        "1 while it has a session in the event stream",
    ),
    gauge(
        "guildhall_gateway_members_intent",
        Unit::Count,
        &[],
        GATEWAY,
        "0: the application has no intent for members, so joins and changes of members are not seen",
    ),
    counter(
        "guildhall_gateway_events_total",
        &["event"],
        GATEWAY,
        "Events read: `joined`, `changed`, `left`, `ban`, `role`, `guild`, `interaction`",
    ),
    counter("guildhall_gateway_resumes_total", &[], GATEWAY, "Sessions that went on in another connection"),
    counter("guildhall_gateway_identifies_total", &[], GATEWAY, "Sessions started"),
    gauge(
        "guildhall_gateway_identifies_left",
        Unit::Count,
        &[],
        GATEWAY,
        "Sessions that the platform still allows today, when one was last started",
    ),
    histogram(
        "guildhall_gateway_lag_seconds",
        LAG,
        &[],
        "worker",
        "From the event that a member with a link joined to the end of their sync",
    ),
];
