//! /console/guilds/:guild/find: leads from an id or a part of a name to its page, and shows what else has it, in groups.

mod found;
mod pages;
mod people;
mod things;

use askama::Template;

pub(crate) use found::{Found, Group};
use people::MEMBERS_MAX;

use crate::fields::segment;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/find.html")]
struct Page {
    shell: Shell,
    typed: String,
    groups: Vec<(Group, Vec<Found>)>,
    /// The list of all members with this in their name, if these are only the first.
    more: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let typed = visit.query.text("q").to_owned();
    let (found, more) = search(&visit, &typed).await?;
    let exact: Vec<_> = found.iter().filter(|found| found.exact).collect();
    let only = match (exact.as_slice(), found.as_slice()) {
        ([one], _) => Some(*one),
        ([], [one]) => Some(one),
        _ => None,
    };
    if let Some(only) = only {
        return Ok(Response::see(only.url.clone()));
    }
    let all = visit.url(&format!("/members?q={}", segment(&typed)));
    let shell = visit.shell("Find", Place::Overview);
    Response::page(&Page { shell, more: more.then_some(all), typed, groups: grouped(found) })
}

/// The first of each group, for a list below the search.
pub(crate) async fn first(
    visit: &GuildVisit,
    typed: &str,
    of_group: usize,
) -> Result<Vec<(Group, Vec<Found>)>, PageError> {
    let mut groups = grouped(search(visit, typed).await?.0);
    for (_, found) in &mut groups {
        found.sort_by_key(|one| !one.exact);
        found.truncate(of_group);
    }
    Ok(groups)
}

/// What the viewer may open, and whether there are more members.
async fn search(visit: &GuildVisit, typed: &str) -> Result<(Vec<Found>, bool), PageError> {
    let mut found = Vec::new();
    if typed.is_empty() {
        return Ok((found, false));
    }
    let more = people::members(visit, typed, &mut found).await?;
    people::staff(visit, typed, &mut found).await?;
    people::moderation(visit, typed, &mut found).await?;
    things::servers(visit, typed, &mut found).await?;
    things::jobs(visit, typed, &mut found).await?;
    things::named(visit, typed, &mut found).await?;
    pages::pages(visit, typed, &mut found);
    pages::settings(visit, typed, &mut found);
    Ok((found, more))
}

fn grouped(found: Vec<Found>) -> Vec<(Group, Vec<Found>)> {
    let mut groups: Vec<(Group, Vec<Found>)> = Vec::new();
    for one in found {
        match groups.iter_mut().find(|(group, _)| *group == one.group) {
            Some((_, rows)) => rows.push(one),
            None => groups.push((one.group, vec![one])),
        }
    }
    groups.sort_by_key(|(group, _)| *group);
    groups
}
