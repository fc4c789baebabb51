//! /unban: lifts the bans of a person.

use entities::{SanctionId, Subject};
use http::Method;
use people::Needs;
use serde_json::json;

use crate::call::{Call, Problem, body};
use crate::command::{Command, Outcome};
use crate::definition::{Definition, Kind, Parameter};
use crate::interaction::Options;
use crate::message::{Message, count};
use crate::person::{Target, member, player};

pub(super) struct Unban;

impl Command for Unban {
    fn definition(&self) -> Definition {
        Definition::new("unban", "Lift the bans of somebody")
            .option(member("A member of this server"))
            .option(player())
            .option(Parameter::new(Kind::Text, "reason", "Why").at_most(500))
    }

    async fn run(&self, call: &Call, _subcommand: &str, options: &Options) -> Outcome {
        call.require(Needs::Permission("moderation.write"))?;
        let target = Target::required(call, options).await?;
        let mut wanted =
            json!({ "identifier": target.subject.to_string(), "moderator_id": call.me().to_string() });
        if !options.text("reason").is_empty() {
            wanted["reason"] = json!(options.text("reason"));
        }
        let lifted = call.api(Method::POST, "/moderation/{g}/play/unban", body(wanted)).await?.data;
        let number = lifted["lifted"].as_array().map_or(0, Vec::len);
        Ok(Message::new(match i64::try_from(number) {
            Ok(number @ 1..) => format!("Lifted {} of {}.", count(number, "ban"), target.name),
            _ => format!("{} was not banned.", target.name),
        })
        .into())
    }

    /// The account and the number of one ban.
    async fn press(&self, call: &Call, about: &str) -> Outcome {
        let parts = about.split_once(':').and_then(|(subject, id)| {
            Some((subject.parse::<Subject>().ok()?, id.parse::<i64>().ok()?.try_into().ok()?))
        });
        let (subject, id): (_, SanctionId) = parts.ok_or_else(Problem::outdated)?;
        let wanted =
            json!({ "identifier": subject.to_string(), "moderator_id": call.me().to_string(), "id": id });
        let lifted = call.api(Method::POST, "/moderation/{g}/play/unban", body(wanted)).await?.data;
        let is_lifted = lifted["lifted"].as_array().is_some_and(|lifted| !lifted.is_empty());
        Ok(Message::new(if is_lifted { "The ban is lifted." } else { "This ban had ended before." }).into())
    }
}
