//! /console/guilds/:guild/suggest: what a field offers while somebody types. Without scripts its form finds the same.

use askama::Template;
use entities::{Subject, staff_directory};

use super::candidates::{Among, possible, shown};
use super::find::{Found, Group, first};
use super::servers::rows::id_in;
use super::staff::person::{candidates, matching};
use super::staff::sees_all;
use crate::html::candidate::Candidate;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Rows of a group of the search.
const OF_GROUP: usize = 4;

/// The rows of a list box.
#[derive(Template)]
#[template(path = "guilds/suggest.html")]
struct Suggestions {
    people: Vec<Candidate>,
    /// Of the search.
    groups: Vec<(Group, Vec<Found>)>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let typed = visit.query.text("q");
    if visit.query.text("of") == "everything" {
        let groups = first(&visit, typed, OF_GROUP).await?;
        return Response::page(&Suggestions { people: Vec::new(), groups });
    }
    let people = match visit.query.text("of") {
        _ if typed.is_empty() => Vec::new(),
        "members" => of(&visit, typed, Among::Members).await?,
        "everybody" => of(&visit, typed, Among::Everybody).await?,
        "players" => players(&visit, typed).await?,
        "playing" => {
            let server = Some(visit.query.text("server")).filter(|part| !part.is_empty()).map(id_in);
            of(&visit, typed, Among::Playing(server)).await?
        }
        "staff" if sees_all(&visit) => {
            let all = staff_directory::list(visit.read(), visit.guild.guild_id, visit.now()).await?;
            candidates(matching(&visit, &all, typed).await?)
        }
        _ => Vec::new(),
    };
    Response::page(&Suggestions { people, groups: Vec::new() })
}

async fn of(visit: &GuildVisit, typed: &str, among: Among<'_>) -> Result<Vec<Candidate>, PageError> {
    shown(visit, possible(visit, typed, among).await?).await
}

/// For fields that take the Roblox id.
async fn players(visit: &GuildVisit, typed: &str) -> Result<Vec<Candidate>, PageError> {
    let mut possible = possible(visit, typed, Among::Everybody).await?;
    possible.retain(|one| matches!(one.subject, Subject::Play(_)));
    let people = shown(visit, possible).await?;
    Ok(people.into_iter().map(|one| Candidate { value: one.id.clone(), ..one }).collect())
}
