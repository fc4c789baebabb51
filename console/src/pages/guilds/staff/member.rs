//! /console/guilds/:guild/staff/:chat: the record of one staff member. All staff see their own.

use askama::Template;
use entities::staff_directory::{self, Described};
use entities::{
    ChatId, Page as Rows, RoleId, loa, staff_action, staff_note, staff_role, staff_session, strike,
};
use people::Needs;

use super::calendar::Calendar;
use super::labels::{self, Action};
use super::quotas::{Quota, of_member};
use super::{Staff, days, decides, notes, own, sees_all, strikes};
use crate::html::format::{Number, When};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::{People, Who};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Rows of each section.
const ROWS: u64 = 10;

#[derive(Template)]
#[template(path = "guilds/staff/member.html")]
struct Page {
    shell: Shell,
    url: String,
    chat: ChatId,
    who: Who,
    own: bool,
    may_write: bool,
    sees_all: bool,
    member: Option<Member>,
    totals: Totals,
    leave: Option<String>,
    quotas: Vec<Quota>,
    strikes: Vec<strikes::Row>,
    notes: Vec<notes::Row>,
    actions: Vec<Action>,
    calendar: Calendar,
    roles: Vec<(RoleId, String)>,
}

struct Member {
    role_id: RoleId,
    role: String,
    on_duty: bool,
    joined: When,
}

struct Totals {
    actions: Number<i64>,
    sessions: Number<i64>,
    minutes: String,
    strikes: u64,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let chat: ChatId = visit.param("chat")?;
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    let member = staff_directory::find(conn, guild, chat, now).await?;
    let totals = totals(&visit, chat).await?;
    let known = member.is_some() || totals.actions.0 > 0 || totals.sessions.0 > 0 || totals.strikes > 0;
    if !known || !(sees_all(&visit) || chat == own(&visit)) {
        return Err(PageError::NotFound);
    }
    let who = Staff::read(&visit, vec![chat]).await?.who(&visit, chat);
    let leave = loa::open_of(conn, guild, chat, now).await?;
    let zone = days::zone(&visit);
    let filter = strike::Filter { staff: Some(chat), active: None };
    let strikes = strike::list(conn, guild, filter, Rows::first(ROWS), now).await?;
    let page = Page {
        shell: visit.shell(&who.name, Place::Staff),
        url: visit.url("/staff"),
        chat,
        own: chat == own(&visit),
        may_write: decides(&visit, chat),
        sees_all: sees_all(&visit),
        member: member.map(|member| described(&visit, member)),
        totals,
        leave: leave.map(|leave| days::span(leave.starts_at, leave.ends_at, zone)),
        quotas: of_member(&visit, chat).await?,
        strikes: strikes::shown(&visit, strikes).await?,
        notes: notes_about(&visit, chat).await?,
        actions: actions(&visit, chat).await?,
        calendar: Calendar::read(&visit, chat).await?,
        roles: roles(&visit).await?,
        who,
    };
    Response::page(&page)
}

fn described(visit: &GuildVisit, member: Described) -> Member {
    Member {
        role_id: member.role_id,
        role: member.role_name,
        on_duty: member.on_duty,
        joined: visit.when(member.joined_at),
    }
}

async fn totals(visit: &GuildVisit, chat: ChatId) -> Result<Totals, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let active = staff_session::totals::of_staff(conn, guild, chat).await?;
    Ok(Totals {
        actions: Number(staff_action::totals::of_staff(conn, guild, chat).await?),
        sessions: Number(active.sessions),
        minutes: labels::minutes(active.seconds / 60),
        strikes: strike::count_active(conn, guild, chat, visit.now()).await?,
    })
}

/// Only for people who may read notes; others do not see those about themselves.
async fn notes_about(visit: &GuildVisit, chat: ChatId) -> Result<Vec<notes::Row>, PageError> {
    if !sees_all(visit) {
        return Ok(Vec::new());
    }
    let rows = staff_note::list(visit.read(), visit.guild.guild_id, Some(chat), Rows::first(ROWS)).await?;
    notes::shown(visit, rows).await
}

async fn actions(visit: &GuildVisit, chat: ChatId) -> Result<Vec<Action>, PageError> {
    let rows = staff_action::list_of(visit.read(), visit.guild.guild_id, chat, Rows::first(ROWS)).await?;
    let people = People::read(visit, rows.iter().filter_map(labels::target).collect::<Vec<_>>()).await?;
    Ok(rows.iter().map(|row| labels::shown(visit, &people, row)).collect())
}

/// The roles to choose from; empty for people who may not change roles.
async fn roles(visit: &GuildVisit) -> Result<Vec<(RoleId, String)>, PageError> {
    if !visit.rights.may(Needs::Admin) {
        return Ok(Vec::new());
    }
    let roles = staff_role::list(visit.read(), visit.guild.guild_id).await?;
    Ok(roles.into_iter().map(|role| (role.role_id, role.role_name)).collect())
}
