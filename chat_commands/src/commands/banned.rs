//! /banned: whether somebody is banned, or who is.

use entities::sanction;
use entities::sanction::history::{self, Filter};
use entities::{Page, SanctionKind};
use people::Needs;

use crate::call::{Call, Problem};
use crate::command::{Command, Outcome};
use crate::definition::Definition;
use crate::interaction::Options;
use crate::message::{Message, from_now, plain};
use crate::person::{Target, member, names_of, player};

const LISTED: u64 = 10;

pub(super) struct Banned;

impl Command for Banned {
    fn definition(&self) -> Definition {
        Definition::new("banned", "Whether somebody is banned here; without a name: the latest bans")
            .option(member("A member of this server"))
            .option(player())
    }

    async fn run(&self, call: &Call, _subcommand: &str, options: &Options) -> Outcome {
        call.require(Needs::Permission("moderation.read"))?;
        let page = call.page("/moderation");
        let text = match Target::read(call, options).await? {
            Some(target) => of_person(call, &target).await?,
            None => latest(call).await?,
        };
        Ok(Message::new(text).link("All bans", page).into())
    }
}

async fn of_person(call: &Call, target: &Target) -> Result<String, Problem> {
    let lines = standing(call, target).await?;
    Ok(if lines.is_empty() {
        format!("{} is not banned here.", target.name)
    } else {
        format!("{}: {}", target.name, lines.join("; "))
    })
}

/// Bans and mutes in force, a part each.
pub(super) async fn standing(call: &Call, target: &Target) -> Result<Vec<String>, Problem> {
    let person = target.person(call).await?;
    let active = sanction::active::of_person(call.read(), call.guild.guild_id, person, call.now()).await?;
    let line = |row: &sanction::Model| {
        let what = match row.kind {
            SanctionKind::Ban => "banned",
            SanctionKind::Mute => "muted",
        };
        let place = row.place_id.map(|place| format!(" in place {place}")).unwrap_or_default();
        format!("{what}{place} {}, {}", until(row), plain(&row.reason))
    };
    Ok(active.iter().map(line).collect())
}

fn until(row: &sanction::Model) -> String {
    row.expires_at.map_or_else(|| "for ever".to_owned(), |end| format!("until {}", from_now(end)))
}

async fn latest(call: &Call) -> Result<String, Problem> {
    let filter = Filter { active: Some(true), ..Filter::of(SanctionKind::Ban) };
    let (guild, page) = (call.guild.guild_id, Page::first(LISTED));
    let rows = history::list(call.read(), guild, filter, page, call.now()).await?;
    if rows.is_empty() {
        return Ok("Nobody is banned here.".to_owned());
    }
    let names = names_of(call, rows.iter().filter_map(sanction::Model::subject)).await?;
    let line = |row: &sanction::Model| {
        let name = row.subject().and_then(|subject| names.get(&subject).cloned()).unwrap_or_default();
        format!("- {name} {}, {}", until(row), plain(&row.reason))
    };
    let lines: Vec<_> = rows.iter().map(line).collect();
    Ok(format!("The latest bans:\n{}", lines.join("\n")))
}
