//! /ban: keeps somebody out of the server's games.

use chrono::DateTime;
use http::Method;
use people::Needs;
use serde_json::json;

use crate::call::{Call, Problem, body};
use crate::command::{Command, Outcome};
use crate::definition::{Definition, Kind, Parameter};
use crate::interaction::Options;
use crate::message::{Message, Style, from_now, plain};
use crate::person::{Target, member, player};

const DAY: i64 = 24 * 60 * 60;
const MOST_DAYS: i64 = 36_500;

pub(super) struct Ban;

impl Command for Ban {
    fn definition(&self) -> Definition {
        Definition::new("ban", "Ban somebody from the games of this server")
            .option(Parameter::new(Kind::Text, "reason", "What happened").required().at_most(500))
            .option(member("A member of this server"))
            .option(player())
            .option(Parameter::new(Kind::Whole, "days", "How long; left out: for ever").within(1, MOST_DAYS))
    }

    async fn run(&self, call: &Call, _subcommand: &str, options: &Options) -> Outcome {
        call.require(Needs::Permission("moderation.write"))?;
        let target = Target::required(call, options).await?;
        // People who ban themselves are out of the guild, and cannot lift the ban.
        if target.person(call).await?.chat == Some(call.me()) {
            return Err(Problem::refused("This is your own account."));
        }
        let seconds = options.read::<i64>("days").map(|days| days * DAY);
        let wanted = json!({ "identifier": target.subject.to_string(), "moderator_id": call.me().to_string(),
                             "reason": options.text("reason"), "duration_seconds": seconds });
        let ban = call.api(Method::POST, "/moderation/{g}/play/ban", body(wanted)).await?.data;
        let end = ban["expires_at"].as_str().and_then(|at| DateTime::parse_from_rfc3339(at).ok());
        let end =
            end.map_or_else(|| "for ever".to_owned(), |end| format!("until {}", from_now(end.to_utc())));
        let text = format!("Banned {} {end}: {}", target.name, plain(options.text("reason")));
        let id = ban["id"].as_i64().unwrap_or_default();
        let page = call.page(&format!("/moderation/bans/{id}"));
        let lift = format!("unban:{}:{id}", target.subject);
        Ok(Message::new(text).button(Style::Secondary, "Lift it again", lift).link("Look at it", page).into())
    }
}
