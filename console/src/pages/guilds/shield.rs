//! /console/guilds/:guild/shield: players flagged for all guilds.

mod csv;
pub(crate) mod flag;

use std::collections::HashMap;

use askama::Template;
use entities::shield_flag::{self, Model};
use entities::{PlayId, Subject, guild};

use super::people::{People, Who};
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Ids of one check (docs/rules.md 3).
const IDS_MAX: usize = 200;
/// The content of the forms.
const FIELDS: [&str; 4] = ["ids", "play_id", "reason", "csv"];

#[derive(Template)]
#[template(path = "guilds/shield/page.html")]
struct Page {
    shell: Shell,
    form: Form,
    url: String,
    may_flag: bool,
    /// The person may flag, the guild may not.
    lacks_allowance: bool,
    checked: Vec<Checked>,
    flagged: usize,
    /// The flags that this guild wrote.
    own: Vec<Checked>,
    more: Option<String>,
}

struct Checked {
    who: Who,
    flag: Option<Flag>,
}

struct Flag {
    reason: String,
    source: String,
    /// The guild that wrote it.
    guild: String,
    at: When,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::new(visit.query.clone())).await
}

/// Whether this person may flag players here.
fn may_flag(visit: &GuildVisit) -> bool {
    visit.may("shield.write") && visit.guild.shield_writer
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (plays, form) = match ids(form.text("ids")) {
        Ok(plays) => (plays, form),
        Err(problem) if form.is_refused() => {
            tracing::debug!(problem, "the form has another problem already");
            (Vec::new(), form)
        }
        Err(problem) => (Vec::new(), Form::wrong(&visit.query, Some("ids"), &problem)),
    };
    let flags = shield_flag::find_many(visit.read(), &plays).await?;
    let checked = check(visit, &plays, flags).await?;
    let mut own = shield_flag::of_guild(visit.read(), visit.guild.guild_id, page(visit)).await?;
    let more = cut(visit, &mut own, |flag| flag.flag_id);
    let plays: Vec<_> = own.iter().map(|flag| flag.play_id).collect();
    let page = Page {
        shell: visit.shell("Shield", Place::Shield),
        url: visit.url("/shield"),
        may_flag: may_flag(visit),
        lacks_allowance: visit.may("shield.write") && !visit.guild.shield_writer,
        flagged: checked.iter().filter(|checked| checked.flag.is_some()).count(),
        checked,
        own: check(visit, &plays, own).await?,
        more,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// The ids of a text, without duplicates, in its order; or the error.
fn ids(text: &str) -> Result<Vec<PlayId>, String> {
    let mut plays = Vec::new();
    for word in
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).filter(|word| !word.is_empty())
    {
        let play =
            word.parse().map_err(|_| format!("{word:?} is not a Roblox id: those have digits only."))?;
        if !plays.contains(&play) {
            plays.push(play);
        }
        if plays.len() > IDS_MAX {
            return Err(format!("These are more than {IDS_MAX} ids. Check them in several parts."));
        }
    }
    Ok(plays)
}

/// The players with their flags.
async fn check(visit: &GuildVisit, plays: &[PlayId], flags: Vec<Model>) -> Result<Vec<Checked>, PageError> {
    let writers: Vec<_> = flags.iter().filter_map(|flag| flag.flagged_by_guild).collect();
    let names = guild::names(visit.read(), writers).await?;
    let people = People::read(visit, plays.iter().copied().map(Subject::Play)).await?;
    let mut flags: HashMap<_, _> = flags.into_iter().map(|flag| (flag.play_id, flag)).collect();
    let checked = plays.iter().map(|play| {
        let subject = Subject::Play(*play);
        let who = people.who(visit, subject);
        let Some(flag) = flags.remove(play) else { return Checked { who, flag: None } };
        let who = if who.url.is_some() { who } else { Who::named(subject, flag.play_username) };
        let flag = Flag {
            guild: match flag.flagged_by_guild {
                Some(guild) => names.get(&guild).cloned().unwrap_or_else(|| guild.to_string()),
                None => "the operator of this service".to_owned(),
            },
            at: visit.when(flag.flagged_at),
            reason: flag.reason,
            source: flag.source,
        };
        Checked { who, flag: Some(flag) }
    });
    Ok(checked.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_pasted_as_they_come() {
        let read =
            |text: &str| ids(text).map(|plays| plays.iter().map(|play| play.get()).collect::<Vec<_>>());
        assert_eq!(read("1, 2;3\n\n2\t4"), Ok(vec![1, 2, 3, 4]));
        assert_eq!(read(" "), Ok(Vec::new()));
        assert!(read("1, x").unwrap_err().contains("\"x\""));
        let many = (1..=201).map(|id| id.to_string()).collect::<Vec<_>>().join(" ");
        assert!(read(&many).unwrap_err().contains("more than 200"));
    }
}
