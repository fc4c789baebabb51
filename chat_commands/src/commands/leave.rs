//! /leave: a staff member asks for leave.

use chrono::{Days, NaiveDate, SecondsFormat};
use entities::{Timestamp, period};
use http::Method;
use people::Needs;
use serde_json::json;

use crate::call::{Call, Problem, body};
use crate::command::{Command, Outcome};
use crate::definition::{Definition, Kind, Parameter};
use crate::interaction::Options;
use crate::message::Message;

const MOST_DAYS: i64 = 365;

pub(super) struct Leave;

impl Command for Leave {
    fn definition(&self) -> Definition {
        Definition::new("leave", "Ask for leave, as staff of this server")
            .option(Parameter::new(Kind::Whole, "days", "How many days").required().within(1, MOST_DAYS))
            .option(Parameter::new(Kind::Text, "reason", "Why, in a few words").required().at_most(500))
            .option(
                Parameter::new(Kind::Text, "from", "The first day, as 2027-01-31; left out: today")
                    .at_most(10),
            )
    }

    async fn run(&self, call: &Call, _subcommand: &str, options: &Options) -> Outcome {
        call.require(Needs::Staff)?;
        let (first, last) = days(call, options)?;
        let zone = period::zone(&call.guild.settings());
        let sent = |at: Timestamp| at.to_rfc3339_opts(SecondsFormat::Secs, true);
        let end = last.checked_add_days(Days::new(1)).ok_or_else(wrong_day)?;
        let wanted = json!({
            "staff_id": call.me(),
            "starts_at": sent(period::start_of_day(first, zone)),
            "ends_at": sent(period::start_of_day(end, zone)),
            "reason": options.text("reason"),
        });
        call.api(Method::POST, "/guilds/{g}/staff/leave-requests", body(wanted)).await?;
        let day = |day: NaiveDate| day.format("%-d %b %Y").to_string();
        let span = if first == last { day(first) } else { format!("{} to {}", day(first), day(last)) };
        let text = format!("You have asked for leave, {span}. It counts once it is approved.");
        Ok(Message::new(text).link("Your requests", call.page("/staff/leave/requests")).into())
    }
}

/// The first and the last day, in the guild's time zone.
fn days(call: &Call, options: &Options) -> Result<(NaiveDate, NaiveDate), Problem> {
    let zone = period::zone(&call.guild.settings());
    let first = match options.text("from") {
        "" => call.now().with_timezone(&zone).date_naive(),
        text => text.parse().map_err(|_| wrong_day())?,
    };
    let more = options.read::<u64>("days").unwrap_or(1).saturating_sub(1);
    Ok((first, first.checked_add_days(Days::new(more)).ok_or_else(wrong_day)?))
}

fn wrong_day() -> Problem {
    Problem::refused("Give the first day as year, month and day: 2027-01-31.")
}
