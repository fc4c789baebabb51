//! /strike: a strike against a staff member.

use chrono::{SecondsFormat, TimeDelta};
use http::Method;
use people::Needs;
use serde_json::json;

use crate::call::{Call, Problem, body};
use crate::command::{Command, Outcome};
use crate::definition::{Definition, Kind, Parameter};
use crate::interaction::Options;
use crate::message::{Message, plain};
use crate::person::{MEMBER, member};

const SEVERITY: i64 = 1;
const MOST_DAYS: i64 = 3_650;

pub(super) struct Strike;

impl Command for Strike {
    fn definition(&self) -> Definition {
        Definition::new("strike", "Give a strike to a staff member")
            .option(member("Who gets it").required())
            .option(Parameter::new(Kind::Text, "reason", "What happened").required().at_most(500))
            .option(Parameter::new(Kind::Whole, "severity", "From 1 to 10; left out: 1").within(1, 10))
            .option(
                Parameter::new(
                    Kind::Whole,
                    "days",
                    "How long it counts; left out: as the server's settings say",
                )
                .within(1, MOST_DAYS),
            )
    }

    async fn run(&self, call: &Call, _subcommand: &str, options: &Options) -> Outcome {
        call.require(Needs::Permission("staff.write"))?;
        let staff = options.read(MEMBER).ok_or_else(|| Problem::refused("Say who gets the strike."))?;
        let severity = options.read("severity").unwrap_or(SEVERITY);
        let mut wanted = json!({ "staff_id": staff, "reason": options.text("reason"), "severity": severity });
        if let Some(days) = options.read::<i64>("days").and_then(TimeDelta::try_days) {
            wanted["expires_at"] = json!((call.now() + days).to_rfc3339_opts(SecondsFormat::Secs, true));
        }
        let strike = call.api(Method::POST, "/guilds/{g}/staff/strikes", body(wanted)).await?.data;
        let page = strike["id"].as_i64().and_then(|id| call.page(&format!("/staff/strikes/{id}")));
        let text = format!(
            "{} has a strike of severity {severity}: {}",
            call.mention(staff),
            plain(options.text("reason"))
        );
        Ok(Message::new(text).link("Look at it", page).into())
    }
}
