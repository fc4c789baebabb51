//! A line of measurements over time, drawn on the server, with its peaks as a table for screen readers.

use askama::Template;
use chrono::TimeDelta;
use entities::Timestamp;

use super::bars::round_up;
use crate::html::format::{Length, Number};

const WIDTH: i64 = 360;
const HEIGHT: i64 = 120;
/// Space for the axes' labels.
const LEFT: i64 = 48;
const BELOW: i64 = 20;
const ABOVE: i64 = 8;
/// Points of a line at most; each shows the worst of its time.
const POINTS: i64 = 240;
/// Rows of the table.
const ROWS: i64 = 24;

/// The unit of the vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Jobs,
    Seconds,
}

/// The horizontal axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    /// Between two samples; after a longer time without one the line is interrupted.
    pub(crate) step: TimeDelta,
}

#[derive(Template)]
#[template(path = "chart/line.html")]
pub(crate) struct Line {
    title: String,
    unit: &'static str,
    peak: String,
    /// Points of each uninterrupted part, as SVG writes them.
    parts: Vec<String>,
    /// Heights of the axis's lines with their labels.
    lines: Vec<(i64, String)>,
    first: String,
    last: String,
    rows: Vec<(String, String)>,
}

impl askama::filters::HtmlSafe for Line {}

impl Line {
    /// `samples`: oldest first.
    pub(crate) fn new(title: String, unit: Unit, span: Span, samples: &[(Timestamp, i64)]) -> Self {
        let peak = samples.iter().map(|(_, value)| *value).max().unwrap_or(0).max(0);
        let top = unit.top(peak);
        let lines = [0, top / 2, top].map(|value| (height(value, top), unit.words(value)));
        let rows = span.worst_of(ROWS, samples).into_iter();
        let rows = rows.map(|(at, value)| (span.named(at), unit.words(value)));
        Self {
            title,
            unit: unit.name(),
            peak: unit.words(peak),
            parts: span.parts(samples, top),
            lines: lines.into(),
            first: span.named(span.from),
            last: span.named(span.to),
            rows: rows.collect(),
        }
    }
}

/// From the top of the picture.
fn height(value: i64, top: i64) -> i64 {
    let room = HEIGHT - BELOW - ABOVE;
    ABOVE + room - value.clamp(0, top) * room / top.max(1)
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Seconds => "age",
        }
    }

    fn words(self, value: i64) -> String {
        match self {
            Self::Jobs => Number(value).to_string(),
            Self::Seconds => Length(TimeDelta::seconds(value)).to_string(),
        }
    }

    /// The end of the axis: a round number, whose half is one too.
    fn top(self, most: i64) -> i64 {
        let most = u64::try_from(most).unwrap_or(0);
        let top = match self {
            Self::Jobs => round_up(most),
            Self::Seconds => match most {
                0..=60 => round_up(most).min(60),
                61..=3_600 => round_up(most.div_ceil(60)).min(60) * 60,
                3_601..=86_400 => round_up(most.div_ceil(3_600)).min(24) * 3_600,
                _ => round_up(most.div_ceil(86_400)) * 86_400,
            },
        };
        i64::try_from(top).unwrap_or(i64::MAX)
    }
}

impl Span {
    fn seconds(self) -> i64 {
        (self.to - self.from).num_seconds().max(1)
    }

    /// The worst sample of each of this many parts of the span; parts without samples are absent.
    fn worst_of(self, parts: i64, samples: &[(Timestamp, i64)]) -> Vec<(Timestamp, i64)> {
        let length = (self.seconds() / parts).max(1);
        let mut worst: Vec<(i64, (Timestamp, i64))> = Vec::new();
        for &(at, value) in samples {
            let part = (at - self.from).num_seconds() / length;
            match worst.last_mut() {
                Some((last, sample)) if *last == part => sample.1 = sample.1.max(value),
                _ => worst.push((part, (at, value))),
            }
        }
        worst.into_iter().map(|(_, sample)| sample).collect()
    }

    fn parts(self, samples: &[(Timestamp, i64)], top: i64) -> Vec<String> {
        let gap = self.step.max(TimeDelta::seconds(self.seconds() / POINTS)) * 2;
        let (mut parts, mut last): (Vec<String>, Option<Timestamp>) = (Vec::new(), None);
        for (at, value) in self.worst_of(POINTS, samples) {
            let along = (at - self.from).num_seconds().clamp(0, self.seconds());
            let x = LEFT + along * (WIDTH - LEFT - 4) / self.seconds();
            let point = format!("{x},{}", height(value, top));
            match parts.last_mut() {
                Some(part) if last.is_some_and(|last| at - last <= gap) => {
                    part.push(' ');
                    part.push_str(&point);
                }
                // A single point would not be seen.
                _ => parts.push(format!("{point} {},{}", x + 1, height(value, top))),
            }
            last = Some(at);
        }
        parts
    }

    fn named(self, at: Timestamp) -> String {
        let form = if self.to - self.from > TimeDelta::days(2) { "%-d %b, %H:%M" } else { "%H:%M" };
        at.format(form).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span() -> Span {
        let to: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        Span { from: to - TimeDelta::hours(24), to, step: TimeDelta::minutes(1) }
    }

    #[test]
    fn axes_end_at_round_numbers_of_their_unit() {
        assert_eq!([0, 3, 21].map(|most| Unit::Jobs.top(most)), [2, 4, 40]);
        let ends = [0, 7, 45, 61, 3_000, 3_601, 90_000].map(|most| Unit::Seconds.top(most));
        assert_eq!(ends, [2, 10, 60, 120, 3_600, 7_200, 172_800]);
        assert_eq!(
            (Unit::Seconds.words(120), Unit::Jobs.words(1_204)),
            ("2 min".to_owned(), "1,204".to_owned())
        );
    }

    #[test]
    fn a_line_is_interrupted_where_nothing_was_measured() {
        let span = span();
        let at = |minutes| span.from + TimeDelta::minutes(minutes);
        let samples: Vec<_> = (0..60).chain(300..360).map(|minute| (at(minute), minute)).collect();
        let parts = span.parts(&samples, 400);
        assert_eq!(parts.len(), 2, "{parts:?}");
        assert!(parts[0].starts_with("48,") && parts.iter().all(|part| part.contains(' ')));
    }

    #[test]
    fn many_samples_become_few_points_without_losing_a_peak() {
        let span = span();
        let sample = |minute| (span.from + TimeDelta::minutes(minute), if minute == 777 { 95 } else { 1 });
        let samples: Vec<_> = (0..1_440).map(sample).collect();
        let line = Line::new("bulk".to_owned(), Unit::Jobs, span, &samples);
        assert_eq!((line.peak.as_str(), line.rows.len()), ("95", 24));
        let points = line.parts[0].split(' ').count();
        assert!(points <= 242 && line.parts[0].contains(&format!(",{}", height(95, 100))), "{points}");
        assert!(line.to_string().contains("<polyline"));
    }
}
