//! /console/guilds/:guild/members/:member: one person with both accounts.

use askama::Template;
use entities::game_server::present;
use entities::job::Class;
use entities::{ChatId, Page as Part, Person, Subject, link, staff_directory, staff_note, staff_role};

use super::links::{self, Ended, Made};
use super::records::{self, May};
use super::roles::OnDiscord;
use super::unlinked;
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::audit::Sentence;
use crate::pages::guilds::moderation::Row;
use crate::pages::guilds::paused::{self, Paused};
use crate::pages::guilds::people::{People, Who};
use crate::pages::guilds::servers;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Notes of one page.
const NOTES: u64 = 10;
const FIELDS: [&str; 1] = ["role_id"];

#[derive(Template)]
#[template(path = "guilds/members/member.html")]
struct Page {
    shell: Shell,
    url: String,
    root: String,
    form: Form,
    who: Who,
    chat: String,
    play: String,
    linked: When,
    /// The game server that they are on, its address, and when it said so.
    in_game: Option<(String, String, When)>,
    discord: OnDiscord,
    /// Held by somebody who is no staff member.
    staff_roles_held: Vec<String>,
    by_role: bool,
    may: May,
    /// The paused jobs of its buttons.
    paused: Vec<Paused>,
    active: Vec<Row>,
    ended: Vec<Row>,
    made: Option<Made>,
    links: Vec<Ended>,
    staff: Option<Staff>,
    audit: Vec<Sentence>,
}

impl Page {
    /// The ban that keeps the person out of the Discord server.
    fn away_by(&self) -> Option<&Row> {
        self.active.iter().find(|row| self.discord.is_away && row.keeps_away)
    }
}

/// The person as a member of the staff.
struct Staff {
    role: String,
    on_duty: bool,
    joined: When,
    notes: Vec<Note>,
}

struct Note {
    by: Who,
    at: When,
    body: String,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let chat = named(&visit)?;
    match link::find_by_chat(visit.read(), visit.guild.guild_id, chat).await? {
        Some(link) => show(&visit, &link, Form::default()).await,
        None => unlinked::show(&visit, chat).await,
    }
}

/// The Discord account that the address names.
fn named(visit: &GuildVisit) -> Result<ChatId, PageError> {
    // Actions have rights of their own, but show this page.
    if !visit.may("lookup.read") {
        return Err(PageError::NotFound);
    }
    visit.param("member")
}

/// The linked member that the address names.
pub(super) async fn load(visit: &GuildVisit) -> Result<link::Model, PageError> {
    let chat = named(visit)?;
    link::find_by_chat(visit.read(), visit.guild.guild_id, chat).await?.ok_or(PageError::NotFound)
}

pub(super) async fn show(visit: &GuildVisit, link: &link::Model, form: Form) -> Result<Response, PageError> {
    let (active, ended) = records::sanctions(visit, Person::from(link)).await?;
    let discord = OnDiscord::read(visit, link.chat_id).await;
    let staff = staff(visit, link.chat_id).await?;
    let page = Page {
        staff_roles_held: if staff.is_some() { Vec::new() } else { staff_roles(visit, &discord).await? },
        by_role: visit.guild.staff_by_role,
        shell: visit.shell(&link.play_username, Place::Members),
        url: visit.url(&format!("/members/{}", link.chat_id)),
        root: visit.url(""),
        form,
        who: Who::linked(visit, link),
        chat: link.chat_id.to_string(),
        play: link.play_id.to_string(),
        linked: visit.when(link.verified_at),
        in_game: in_game(visit, link).await?,
        discord,
        may: May::of(visit),
        paused: paused::read(visit, &[Class::Interactive, Class::Default]).await?,
        active,
        ended,
        made: links::made(visit, link).await?,
        links: links::ended(visit, link.chat_id, Some(link.play_id)).await?,
        staff,
        audit: records::audit(visit, &[link.chat_id.to_string(), link.play_id.to_string()]).await?,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

async fn in_game(
    visit: &GuildVisit,
    link: &link::Model,
) -> Result<Option<(String, String, When)>, PageError> {
    if !visit.may("moderation.read") {
        return Ok(None);
    }
    let (guild, now) = (visit.guild.guild_id, visit.now());
    let server = present::with_player(visit.read(), guild, link.play_id, now).await?;
    Ok(server.and_then(|server| {
        let (_, at) = server.list(now)?;
        Some((servers::name(&server.server_id), servers::address(visit, &server.server_id), visit.when(at)))
    }))
}

async fn staff(visit: &GuildVisit, chat: ChatId) -> Result<Option<Staff>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    if !visit.may("staff.read") {
        return Ok(None);
    }
    let Some(staff) = staff_directory::find(conn, guild, chat, visit.now()).await? else { return Ok(None) };
    let notes = staff_note::list(conn, guild, Some(chat), Part::first(NOTES)).await?;
    let people = People::read(visit, notes.iter().map(|note| Subject::Chat(note.author_id))).await?;
    let note = |note: staff_note::Model| Note {
        by: people.who(visit, Subject::Chat(note.author_id)),
        at: visit.when(note.created_at),
        body: note.body,
    };
    Ok(Some(Staff {
        role: staff.role_name,
        on_duty: staff.on_duty,
        joined: visit.when(staff.joined_at),
        notes: notes.into_iter().map(note).collect(),
    }))
}

/// Roles of the staff that the member holds on Discord.
async fn staff_roles(visit: &GuildVisit, discord: &OnDiscord) -> Result<Vec<String>, PageError> {
    if !visit.may("staff.read") || discord.held.is_empty() {
        return Ok(Vec::new());
    }
    let roles = staff_role::list(visit.read(), visit.guild.guild_id).await?;
    let held = |role: &staff_role::Model| discord.held.iter().any(|held| held.id == role.role_id);
    Ok(roles.into_iter().filter(held).map(|role| role.role_name).collect())
}
