//! /link/:guild/discord and /link/:guild/roblox: a member proves a Roblox account by an account that Discord has verified, or by
//! signing in with Roblox. Both come back to one address for all servers, in the browser and the session that began.

use askama::Template;
use entities::account::Way;
use entities::link_attempt::{self, State};
use entities::{GuildId, guild};
use http::HeaderValue;
use platforms::{ATTEMPT_SECONDS, Player, SignInError};
use runtime::UnitOfWork;
use serde::{Deserialize, Serialize};

use super::{code, guild_of};
use crate::guard::{cookies, strangers};
use crate::html::shell::Shell;
use crate::pages::sign_in::problem;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

pub(crate) const DISCORD: &str = "/link/callback/discord";
const ROBLOX: &str = "/link/callback/roblox";

/// A proof under way, in the browser that began it.
#[derive(Serialize, Deserialize)]
struct Begun {
    guild: GuildId,
    state: String,
    verifier: String,
}

/// Whether this service can prove accounts in this way.
pub(super) fn is_possible(visit: &Visit, way: Way) -> bool {
    let public = visit.console.ways_in.public_url.is_some();
    match way {
        Way::Code | Way::Profile => true,
        Way::Connection => public && visit.platforms().sign_in.is_some(),
        Way::SignIn => public && visit.platforms().play_sign_in.is_some(),
    }
}

/// Where the platform sends the browser back to, if members of the guild may prove so.
fn redirect(visit: &Visit, guild: Option<&guild::Model>, way: Way) -> Result<String, PageError> {
    let counts = guild.is_none_or(|guild| guild.link_ways.0.contains(&way));
    let public = visit.console.ways_in.public_url.as_ref().filter(|_| counts && is_possible(visit, way));
    let path = if way == Way::Connection { DISCORD } else { ROBLOX };
    Ok(format!("{}{path}", public.ok_or(PageError::NotFound)?))
}

pub(crate) async fn discord(visit: Visit) -> Result<Response, PageError> {
    Ok(depart(&visit, &guild_of(&visit).await?, Way::Connection)?.after_link())
}

pub(crate) async fn roblox(visit: Visit) -> Result<Response, PageError> {
    Ok(depart(&visit, &guild_of(&visit).await?, Way::SignIn)?.after_link())
}

/// A browser on its way to a platform.
pub(super) struct Departure {
    to: &'static str,
    url: String,
    cookie: Option<HeaderValue>,
}

/// The policy lets forms lead to pages of this service only, so this page goes on by itself.
#[derive(Template)]
#[template(path = "linking/leave.html")]
struct Leave {
    shell: Shell,
    to: &'static str,
    url: String,
}

impl Departure {
    fn after_link(self) -> Response {
        Response::see(self.url).cookie(self.cookie)
    }

    pub(super) fn after_form(self, visit: &Visit) -> Result<Response, PageError> {
        let Self { to, url, cookie } = self;
        let page = Leave { shell: visit.shell(&format!("Go on to {to}")), to, url };
        Ok(Response::page(&page)?.cookie(cookie))
    }
}

/// Begins a proof in this browser.
pub(super) fn depart(visit: &Visit, guild: &guild::Model, way: Way) -> Result<Departure, PageError> {
    let (redirect, now) = (redirect(visit, Some(guild), way)?, visit.now());
    let (chat, play) = (visit.platforms().sign_in.as_deref(), visit.platforms().play_sign_in.as_deref());
    let (to, attempt) = match (way, chat, play) {
        (Way::Connection, Some(chat), _) => ("Discord", chat.authorize_url_with_connections(&redirect, now)),
        (Way::SignIn, _, Some(play)) => {
            let owner = visit.session.row.session_id.to_string();
            ("Roblox", play.authorize_url(&redirect, &owner, now))
        }
        _ => return Err(PageError::NotFound),
    };
    let begun = Begun { guild: guild.guild_id, state: attempt.state, verifier: attempt.verifier };
    let cookie = cookies::set(cookies::PROOF, &cookies::pack(&begun), ATTEMPT_SECONDS);
    Ok(Departure { to, url: attempt.url, cookie })
}

pub(crate) async fn discord_callback(visit: Visit) -> Result<Response, PageError> {
    come_back(visit, Way::Connection).await
}

pub(crate) async fn roblox_callback(visit: Visit) -> Result<Response, PageError> {
    come_back(visit, Way::SignIn).await
}

async fn come_back(visit: Visit, way: Way) -> Result<Response, PageError> {
    let begun = cookies::read(visit.headers(), cookies::PROOF).and_then(cookies::unpack::<Begun>);
    let own = begun.filter(|begun| begun.state == visit.query.text("state"));
    let forget = cookies::forget(cookies::PROOF);
    let Some(begun) = own else {
        let text = "This was not begun in this browser, or took longer than ten minutes. Begin anew.";
        return Ok(Response::see("/link").flash(Flash::new(text)).cookie(forget));
    };
    let page = Response::see(format!("/link/{}", begun.guild)).cookie(forget);
    let player = match ask(&visit, way, &begun).await? {
        Ok(player) => player,
        Err(problem) => return Ok(page.flash(Flash::new(problem))),
    };
    Ok(if prove(&visit, begun.guild, way, player).await? {
        page.cookie(code::forget(begun.guild))
    } else {
        page.flash(Flash::new("This attempt has ended. Begin anew."))
    })
}

/// The account that the platform answers for. The inner error is for the member.
async fn ask(visit: &Visit, way: Way, begun: &Begun) -> Result<Result<Player, String>, PageError> {
    let (redirect, now) = (redirect(visit, None, way)?, visit.now());
    let platform = if way == Way::Connection { "Discord" } else { "Roblox" };
    let (code, error) = (visit.query.text("code"), visit.query.text("error"));
    let (chat, play) = (visit.platforms().sign_in.as_deref(), visit.platforms().play_sign_in.as_deref());
    let owner = visit.session.row.session_id.to_string();
    let started = match way {
        Way::Connection => chat.and_then(|chat| chat.begun(&begun.state, &begun.verifier, now)),
        _ => play.and_then(|play| play.begun(&begun.state, &begun.verifier, &owner, now)),
    };
    let Some(started) = started else { return Ok(Err(problem(&SignInError::CodeRefused, platform))) };
    if !error.is_empty() {
        let refused = match way {
            Way::Connection => SignInError::of_callback(error),
            _ => SignInError::of_play_callback(error),
        };
        return Ok(Err(problem(&refused, platform)));
    }
    let limits = &visit.context().limits;
    if !strangers::admit_sign_in(limits, visit.request.address, &begun.state).await? {
        return Ok(Err(problem(&SignInError::CodeRefused, platform)));
    }
    let found = match (way, chat, play) {
        (Way::Connection, Some(chat), _) => {
            match chat.finish_with_connections(code, &started, &redirect).await {
                // Another person signed in on Discord's page.
                Ok((person, _)) if person.user.id != visit.session.row.user_id => {
                    return Ok(Err(format!(
                        "On Discord you are signed in as {}, here as {}.",
                        person.user.name, visit.session.row.user_name
                    )));
                }
                Ok((_, players)) => match players.into_iter().next() {
                    Some(player) => Ok(player),
                    None => {
                        let text = "Discord knows no Roblox account of yours that it has verified. Connect one in Discord's settings, or prove it in another way.";
                        return Ok(Err(text.to_owned()));
                    }
                },
                Err(error) => Err(error),
            }
        }
        (_, _, Some(play)) => play.finish(code, &started, &redirect, now).await,
        _ => return Err(PageError::NotFound),
    };
    Ok(found.map_err(|error| problem(&error, platform)))
}

/// Notes the proof on the member's attempt, for the page that asks them. False: the attempt has ended.
async fn prove(visit: &Visit, guild: GuildId, way: Way, player: Player) -> Result<bool, PageError> {
    let (user, now) = (visit.session.row.user_id, visit.now());
    let work = UnitOfWork::begin(visit.context()).await?;
    let Some(own) = link_attempt::of_chat(work.tx(), guild, user, now).await? else { return Ok(false) };
    let row = link_attempt::find_for_update(work.tx(), guild, own.attempt_id).await?;
    let waits = |row: &link_attempt::Model| row.is_live(now) && row.state != State::Held;
    let Some(mut attempt) = row.filter(waits) else { return Ok(false) };
    attempt.state = State::Proven;
    attempt.way = Some(way);
    attempt.play_id = Some(player.id);
    attempt.play_username = Some(player.name);
    link_attempt::save(work.tx(), &attempt).await?;
    work.commit().await?;
    Ok(true)
}
