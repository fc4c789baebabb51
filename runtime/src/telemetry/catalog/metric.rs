//! One metric of the catalog.

use metrics::Unit;

#[derive(Debug, Clone, Copy)]
pub(in crate::telemetry) enum Kind {
    Counter,
    Gauge,
    /// With its upper bounds, in seconds.
    Histogram(&'static [f64]),
}

#[derive(Debug, Clone, Copy)]
pub(in crate::telemetry) struct Metric {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) unit: Unit,
    pub(super) labels: &'static [&'static str],
    /// The processes that have it.
    pub(super) of: &'static str,
    pub(super) about: &'static str,
}

pub(super) const fn counter(
    name: &'static str,
    labels: &'static [&'static str],
    of: &'static str,
    about: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Counter, unit: Unit::Count, labels, of, about }
}

pub(super) const fn gauge(
    name: &'static str,
    unit: Unit,
    labels: &'static [&'static str],
    of: &'static str,
    about: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Gauge, unit, labels, of, about }
}

pub(super) const fn histogram(
    name: &'static str,
    bounds: &'static [f64],
    labels: &'static [&'static str],
    of: &'static str,
    about: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Histogram(bounds), unit: Unit::Seconds, labels, of, about }
}
