//! /link/:guild: a member links their Roblox account in one guild.

use askama::Template;
use entities::account::Way;
use entities::link_attempt::{self, Model as Attempt, State};
use entities::{GuildId, Subject, guild, link};
use http::{Method, StatusCode};
use people::ApiAnswer;
use platforms::CallContext;
use serde_json::{Map, Value};

use super::prove::is_possible;
use super::{call, guild_of};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::Shell;
use crate::platform_cache::accounts::Account;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

/// What the form shows; the API's errors name them.
const FIELDS: [&str; 1] = ["play_id"];

#[derive(Template)]
#[template(path = "linking/guild.html")]
struct Page {
    shell: Shell,
    url: String,
    guild: String,
    /// The member's name on Discord.
    name: String,
    form: Form,
    step: Step,
}

/// What the member can do next.
enum Step {
    /// Not a member of the Discord server.
    Stranger,
    /// Nobody links by themselves here.
    Off,
    Linked {
        name: String,
        play: String,
        since: When,
    },
    Begin {
        ways: Vec<Way>,
    },
    Prove {
        /// Shown once.
        code: Option<String>,
        words: Option<String>,
        /// By an account that Discord has verified.
        discord: bool,
        /// By signing in with Roblox.
        roblox: bool,
        end: When,
    },
    Agree {
        name: String,
        play: String,
    },
    Held {
        why: String,
    },
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    show(&visit, Form::default(), None).await
}

async fn show(visit: &Visit, form: Form, code: Option<String>) -> Result<Response, PageError> {
    let guild = guild_of(visit).await?;
    let step = step(visit, &guild, code).await?;
    let page = Page {
        shell: visit.shell(&format!("Link your Roblox account in {}", guild.name)),
        url: format!("/link/{}", guild.guild_id),
        name: visit.session.row.user_name.clone(),
        guild: guild.name,
        form,
        step,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

async fn step(visit: &Visit, guild: &guild::Model, code: Option<String>) -> Result<Step, PageError> {
    let (conn, user, now) = (visit.read(), visit.session.row.user_id, visit.now());
    let attempt = link_attempt::of_chat(conn, guild.guild_id, user, now).await?;
    let mut ways = guild.link_ways.0.clone();
    ways.retain(|way| is_possible(visit, *way));
    if let Some(attempt) = attempt {
        return Ok(next(visit, attempt, &ways, code));
    }
    if let Some(link) = link::find_by_chat(conn, guild.guild_id, user).await? {
        let since = visit.when(link.verified_at);
        return Ok(Step::Linked { name: link.play_username, play: link.play_id.to_string(), since });
    }
    if !is_member(visit, guild.guild_id).await {
        return Ok(Step::Stranger);
    }
    Ok(if ways.is_empty() { Step::Off } else { Step::Begin { ways } })
}

fn next(visit: &Visit, attempt: Attempt, ways: &[Way], code: Option<String>) -> Step {
    match (attempt.state, attempt.play_id, attempt.play_username) {
        (State::Proven, Some(play), Some(name)) => Step::Agree { name, play: play.to_string() },
        (State::Held, ..) => Step::Held { why: attempt.held_for.unwrap_or_default() },
        _ => Step::Prove {
            code: code.filter(|_| ways.contains(&Way::Code)),
            words: ways.contains(&Way::Profile).then_some(attempt.words),
            discord: ways.contains(&Way::Connection),
            roblox: ways.contains(&Way::SignIn),
            end: visit.when(attempt.expires_at),
        },
    }
}

/// Where Discord does not answer the API decides.
async fn is_member(visit: &Visit, guild: GuildId) -> bool {
    let subject = Subject::Chat(visit.session.row.user_id);
    let found = visit.console.accounts.find(CallContext::interactive(guild), subject).await;
    !matches!(found, Ok(Account::Unknown | Account::Known { is_member: Some(false), .. }))
}

/// Shows the code, which is not stored.
pub(crate) async fn begin(visit: Visit) -> Result<Response, PageError> {
    let guild = guild_of(&visit).await?;
    let mut body = Map::new();
    body.insert("chat_id".to_owned(), visit.session.row.user_id.to_string().into());
    let answer = call(&visit, guild.guild_id, Method::POST, "/link-attempts", body).await;
    if !answer.status.is_success() {
        return refused(&visit, &answer).await;
    }
    let code = answer.body["data"]["code"].as_str().map(str::to_owned);
    show(&visit, Form::default(), code).await
}

pub(crate) async fn profile(visit: Visit) -> Result<Response, PageError> {
    let body = visit.form.json(&["play_id"]);
    step_on(visit, "profile", body).await
}

pub(crate) async fn confirm(visit: Visit) -> Result<Response, PageError> {
    let body = visit.form.json(&["play_id"]);
    step_on(visit, "confirm", body).await
}

pub(crate) async fn cancel(visit: Visit) -> Result<Response, PageError> {
    step_on(visit, "cancel", Map::new()).await
}

/// A call about the member's present attempt.
async fn step_on(visit: Visit, verb: &str, body: Map<String, Value>) -> Result<Response, PageError> {
    let guild = guild_of(&visit).await?;
    let user = visit.session.row.user_id;
    let page = format!("/link/{}", guild.guild_id);
    let attempt = link_attempt::of_chat(visit.read(), guild.guild_id, user, visit.now()).await?;
    let Some(attempt) = attempt else {
        return Ok(Response::see(page).flash(Flash::new("This attempt has ended. Begin anew.")));
    };
    let path = format!("/link-attempts/{}/{verb}", attempt.attempt_id);
    let answer = call(&visit, guild.guild_id, Method::POST, &path, body).await;
    if !answer.status.is_success() {
        return refused(&visit, &answer).await;
    }
    let outcome = answer.body["data"]["attempt"]["outcome"].as_str().unwrap_or_default();
    let flash = match (verb, outcome) {
        ("confirm", "linked") => {
            let message = answer.body["data"]["message"].as_str().unwrap_or_default();
            Some(format!("Linked. Your roles follow in a moment. {message}").trim_end().to_owned())
        }
        ("confirm", "rejected") => {
            let why = answer.body["data"]["reason"].as_str().unwrap_or("the rules of the server forbid it");
            Some(format!("Not linked: {why}."))
        }
        ("cancel", _) => Some("Nothing was linked.".to_owned()),
        _ => None,
    };
    let response = Response::see(page);
    Ok(match flash {
        Some(text) => response.flash(Flash::new(text)),
        None => response,
    })
}

pub(crate) async fn unlink(visit: Visit) -> Result<Response, PageError> {
    let guild = guild_of(&visit).await?;
    let path = format!("/links/{}", visit.session.row.user_id);
    let answer = call(&visit, guild.guild_id, Method::DELETE, &path, Map::new()).await;
    if !answer.status.is_success() && answer.status != StatusCode::NOT_FOUND {
        return refused(&visit, &answer).await;
    }
    let text = format!(
        "Unlinked in {}. The roles and the nickname that came from the link go in a moment.",
        guild.name
    );
    let to = if visit.form.text("to") == "mine" {
        "/link".to_owned()
    } else {
        format!("/link/{}", guild.guild_id)
    };
    Ok(Response::see(to).flash(Flash::new(text)))
}

async fn refused(visit: &Visit, answer: &ApiAnswer) -> Result<Response, PageError> {
    let typed: &Fields = &visit.form;
    show(visit, Form::refused(typed, answer), None).await
}
