//! A heat map of weekday by hour, drawn on the server, with the same figures as a table for screen readers.

use askama::Template;
use chrono::{Datelike, Timelike};
use chrono_tz::Tz;
use entities::Timestamp;

use crate::html::format::Number;

const HOURS: usize = 24;
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/// Space for the names of the days, and the size of a cell.
const LEFT: usize = 36;
const WIDTH: usize = 13;
const HEIGHT: usize = 15;

#[derive(Template)]
#[template(path = "chart/heat_map.html")]
pub(crate) struct HeatMap {
    title: &'static str,
    zone: String,
    total: Number<u64>,
    /// The most in one cell.
    peak: Number<u64>,
    rows: Vec<Day>,
    /// Where the hours 0, 6, 12 and 18 are named.
    hours: [(usize, &'static str); 4],
}

struct Day {
    name: &'static str,
    text_y: usize,
    cells: Vec<Cell>,
}

struct Cell {
    hour: usize,
    count: u64,
    x: usize,
    y: usize,
    /// Opacity of the colour, as SVG writes it; 0 for nothing, then five steps.
    opacity: &'static str,
}

impl askama::filters::HtmlSafe for HeatMap {}

impl HeatMap {
    /// `hours`: how much happened from each of these moments on, within the same hour of `zone`. `week_start`: the ISO
    /// number of the first day.
    pub(crate) fn new(title: &'static str, hours: &[(Timestamp, u64)], zone: Tz, week_start: i32) -> Self {
        let mut counts = [[0_u64; HOURS]; 7];
        for (at, count) in hours {
            let local = at.with_timezone(&zone);
            let (day, hour) = (local.weekday().num_days_from_monday() as usize, local.hour() as usize);
            counts[day][hour] += count;
        }
        let peak = counts.iter().flatten().copied().max().unwrap_or_default();
        let first = usize::try_from(week_start - 1).unwrap_or(0) % 7;
        let rows = (0..7).map(|line| day(line, (first + line) % 7, &counts, peak));
        let named = [(0, "0:00"), (6, "6:00"), (12, "12:00"), (18, "18:00")];
        Self {
            title,
            zone: zone.name().to_owned(),
            total: Number(counts.iter().flatten().sum()),
            peak: Number(peak),
            rows: rows.collect(),
            hours: named.map(|(hour, name)| (LEFT + hour * WIDTH, name)),
        }
    }
}

fn day(line: usize, day: usize, counts: &[[u64; HOURS]; 7], peak: u64) -> Day {
    let y = line * HEIGHT;
    let cells = counts[day].iter().enumerate().map(|(hour, count)| Cell {
        hour,
        count: *count,
        x: LEFT + hour * WIDTH,
        y,
        opacity: opacity(*count, peak),
    });
    Day { name: DAYS[day], text_y: y + 11, cells: cells.collect() }
}

fn opacity(count: u64, peak: u64) -> &'static str {
    if count == 0 {
        return "0.06";
    }
    match count * 5 / peak.max(1) {
        0 => "0.25",
        1 => "0.4",
        2 => "0.55",
        3 => "0.7",
        _ => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_counted_in_the_hours_of_the_guild() {
        // A Sunday evening in UTC is Monday in Berlin.
        let times = [("2026-11-22T23:00:00Z", 1), ("2026-11-15T23:00:00Z", 1), ("2026-11-22T12:00:00Z", 1)];
        let times = times.map(|(at, count)| (at.parse::<Timestamp>().unwrap(), count));
        let map = HeatMap::new("Actions", &times, chrono_tz::Europe::Berlin, 7);
        assert_eq!((map.rows[0].name, map.rows[1].name, map.total.0, map.peak.0), ("Sun", "Mon", 3, 2));
        assert_eq!((map.rows[1].cells[0].count, map.rows[0].cells[13].count), (2, 1));
        assert_eq!((map.rows[1].cells[0].opacity, map.rows[0].cells[13].opacity), ("1", "0.55"));
        assert!(map.to_string().contains("<caption>Actions"));
    }
}
