//! Bars for counts a day, drawn on the server, with the same figures as a table for screen readers.

use std::collections::BTreeMap;

use askama::Template;
use chrono::{Days, NaiveDate};
use entities::Timestamp;

use crate::html::format::Number;

/// Days of a chart.
pub(crate) const DAYS: u64 = 30;

const WIDTH: u64 = 340;
const HEIGHT: u64 = 120;
/// Space for the axis's numbers, left and below.
const LEFT: u64 = 40;
const BELOW: u64 = 20;
/// Space for the unit.
const ABOVE: u64 = 20;

/// Counts of each of the last days.
#[derive(Template)]
#[template(path = "chart/bars.html")]
pub(crate) struct Bars {
    title: &'static str,
    bars: Vec<Bar>,
    /// Heights of the axis's lines with their numbers.
    lines: Vec<(u64, Number<u64>)>,
    first: String,
    middle: String,
    last: String,
    total: Number<u64>,
}

struct Bar {
    day: NaiveDate,
    count: Number<u64>,
    x: u64,
    y: u64,
    width: u64,
    height: u64,
}

impl askama::filters::HtmlSafe for Bars {}

/// The begin of a chart that ends today.
pub(crate) fn since(now: Timestamp) -> Timestamp {
    let first = now.date_naive() - Days::new(DAYS - 1);
    first.and_time(chrono::NaiveTime::MIN).and_utc()
}

/// The most of a day.
pub(crate) fn peak(charts: &[&[(NaiveDate, u64)]]) -> u64 {
    charts.iter().copied().flatten().map(|(_, count)| *count).max().unwrap_or_default()
}

impl Bars {
    /// `counts`: by day, in UTC; days without any may be absent. `peak`: the most of a day in all charts that stand together, so
    /// that they have one scale.
    pub(crate) fn new(title: &'static str, counts: &[(NaiveDate, u64)], peak: u64, now: Timestamp) -> Self {
        let counts: BTreeMap<_, _> = counts.iter().copied().collect();
        let today = now.date_naive();
        let days: Vec<_> = (0..DAYS).rev().map(|ago| today - Days::new(ago)).collect();
        let of = |day: &NaiveDate| counts.get(day).copied().unwrap_or_default();
        let top = round_up(peak);
        let (room, step) = (HEIGHT - BELOW - ABOVE, (WIDTH - LEFT) / DAYS);
        let bars = days.iter().zip(0..).map(|(day, at)| {
            let height = (of(day) * room).div_ceil(top);
            let (x, y) = (LEFT + at * step + 1, ABOVE + room - height);
            Bar { day: *day, count: Number(of(day)), x, y, width: step - 2, height }
        });
        let lines =
            [0, top / 2, top].into_iter().map(|value| (ABOVE + room - value * room / top, Number(value)));
        let name =
            |day: Option<&NaiveDate>| day.map(|day| day.format("%-d %b").to_string()).unwrap_or_default();
        Self {
            title,
            bars: bars.collect(),
            lines: lines.collect(),
            first: name(days.first()),
            middle: name(days.get(days.len() / 2)),
            last: name(days.last()),
            total: Number(days.iter().map(of).sum()),
        }
    }
}

/// The next of 2, 4, 10, 20, 40, 100, …: its half is whole too.
pub(super) fn round_up(most: u64) -> u64 {
    let mut power = 1;
    loop {
        for step in [2, 4, 10] {
            if most <= step * power {
                return step * power;
            }
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_ends_at_a_round_number() {
        assert_eq!([0, 1, 3, 5, 11, 21, 99, 101].map(round_up), [2, 2, 4, 10, 20, 40, 100, 200]);
    }

    #[test]
    fn every_day_has_a_bar_within_the_picture() {
        let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        let counts =
            [(now.date_naive(), 7), (since(now).date_naive(), 1), ("2025-01-01".parse().unwrap(), 9)];
        let bars = Bars::new("Bans", &counts, peak(&[&counts]), now);
        assert_eq!((bars.bars.len(), bars.total.0), (30, 8));
        assert!(
            bars.bars.iter().all(|bar| bar.y + bar.height == HEIGHT - BELOW && bar.x + bar.width <= WIDTH)
        );
        assert!(bars.bars[0].height > 0 && bars.bars[1].height == 0);
        let html = bars.to_string();
        assert!(html.contains("<title") && html.contains("Bans") && html.contains("24 Oct"), "{html}");
    }
}
