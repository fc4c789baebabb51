//! The course of the last days as a small line beside a figure; the figure's page has the numbers.

use askama::Template;
use chrono::{Days, NaiveDate};
use entities::Timestamp;

use super::bars::DAYS;

const HEIGHT: u64 = 24;
/// Between two days.
const STEP: u64 = 4;

#[derive(Template)]
#[template(
    source = r#"<svg class="trend" viewBox="0 0 116 24" width="116" height="24" aria-hidden="true"><polyline points="{{ points }}"/></svg>"#,
    ext = "html"
)]
pub(crate) struct Trend {
    points: String,
}

impl askama::filters::HtmlSafe for Trend {}

impl Trend {
    /// `None`: nothing happened. `counts`: by day, in UTC; days without any may be absent.
    pub(crate) fn new(counts: &[(NaiveDate, u64)], now: Timestamp) -> Option<Self> {
        let most = counts.iter().map(|(_, count)| *count).max().filter(|most| *most > 0)?;
        let today = now.date_naive();
        let days = (0..DAYS).rev().filter_map(|ago| today.checked_sub_days(Days::new(ago)));
        let of = |day| counts.iter().find(|(known, _)| *known == day).map_or(0, |(_, count)| *count);
        // Half of the line's width stays within the picture.
        let room = HEIGHT - 2;
        let point =
            |(at, day): (u64, NaiveDate)| format!("{},{}", at * STEP, 1 + room - of(day) * room / most);
        let points: Vec<_> = (0..).zip(days).map(point).collect();
        Some(Self { points: points.join(" ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_day_is_at_the_right_and_the_most_at_the_top() {
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        let of = |counts: &[(NaiveDate, u64)]| Trend::new(counts, now);
        assert!(of(&[]).is_none() && of(&[(now.date_naive(), 0)]).is_none());
        let line = of(&[(now.date_naive(), 4), (now.date_naive() - Days::new(1), 2)]).unwrap();
        assert!(
            line.points.starts_with("0,23 4,23") && line.points.ends_with("112,12 116,1"),
            "{}",
            line.points
        );
    }
}
