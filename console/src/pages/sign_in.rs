//! /console/sign-in and /console/sign-out: signing in with the chat platform.

use askama::Template;
use entities::console_session;
use http::{HeaderValue, StatusCode};
use platforms::{ATTEMPT_SECONDS, Person, SignIn, SignInError};
use serde::{Deserialize, Serialize};

use crate::guard::cookies;
use crate::guard::own_page::{own_page, with_page};
use crate::guard::session::{self, Arrival};
use crate::guard::strangers;
use crate::html::shell::Shell;
use crate::pages::link::LinkCommand;
use crate::request::{APPLICANTS, MEMBERS, ROOT};
use crate::response::{PageError, Response};
use crate::visit::{Guest, Visit};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page {
    shell: Shell,
    wants: Wants,
    /// Signing in with the chat platform is configured.
    platform: bool,
    /// Why the last attempt failed; empty: there was none.
    problem: String,
    start: String,
    command: LinkCommand,
}

/// What the person has come for. Whoever links or applies has nothing to do with the console.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    Console,
    Link,
    Apply,
}

impl Wants {
    /// `own_page` has checked that it is a page.
    fn of(to: Option<&str>) -> Self {
        match to {
            Some(to) if to.starts_with(MEMBERS) => Self::Link,
            Some(to) if to.starts_with(APPLICANTS) => Self::Apply,
            _ => Self::Console,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Console => "Sign in",
            Self::Link => "Link your Roblox account",
            Self::Apply => "Apply in a Discord server",
        }
    }
}

/// An attempt, in the browser that began it: an attempt of another person cannot sign this one in.
#[derive(Serialize, Deserialize)]
struct Begun {
    state: String,
    verifier: String,
    /// The page that the person wanted.
    to: Option<String>,
}

pub(crate) const CALLBACK: &str = "/console/sign-in/callback";

/// The page that the address names, and the browser is sent to after the sign-in.
fn wanted(guest: &Guest) -> Option<&str> {
    own_page(guest.query.text("to"))
}

/// The configured sign-in, and where the platform sends the browser back to.
fn configured(guest: &Guest) -> Option<(&SignIn, String)> {
    let sign_in = guest.platforms().sign_in.as_deref()?;
    Some((sign_in, format!("{}{CALLBACK}", guest.console.ways_in.public_url.as_ref()?)))
}

fn show(guest: &Guest, to: Option<&str>, problem: String) -> Result<Response, PageError> {
    let (platform, command) = (configured(guest).is_some(), LinkCommand::of(&guest.console));
    let start = with_page("/console/sign-in/start", to);
    let wants = Wants::of(to);
    Response::page(&Page {
        shell: Shell::bare(wants.title(), guest.headers()),
        wants,
        platform,
        problem,
        start,
        command,
    })
}

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn get(guest: Guest) -> Result<Response, PageError> {
    show(&guest, wanted(&guest), String::new())
}

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn start(guest: Guest) -> Result<Response, PageError> {
    let (sign_in, redirect) = configured(&guest).ok_or(PageError::NotFound)?;
    let attempt = sign_in.authorize_url(&redirect, guest.now());
    let to = wanted(&guest).map(str::to_owned);
    let begun = Begun { state: attempt.state, verifier: attempt.verifier, to };
    let cookie = cookies::set(cookies::ATTEMPT, &cookies::pack(&begun), ATTEMPT_SECONDS);
    Ok(Response::see(attempt.url).cookie(cookie))
}

pub(crate) async fn callback(guest: Guest) -> Result<Response, PageError> {
    let begun = cookies::read(guest.headers(), cookies::ATTEMPT).and_then(cookies::unpack::<Begun>);
    // The browser may have changed it.
    let to = begun.as_ref().and_then(|begun| own_page(begun.to.as_deref()?));
    let response = match finish(&guest, begun.as_ref()).await? {
        Ok(cookie) => Response::see(to.unwrap_or(ROOT)).cookie(cookie),
        Err(problem) => show(&guest, to, problem)?.status(StatusCode::FORBIDDEN),
    };
    Ok(response.cookie(cookies::forget(cookies::ATTEMPT)))
}

/// The cookie of the new session. The inner error is for the person.
async fn finish(
    guest: &Guest,
    begun: Option<&Begun>,
) -> Result<Result<Option<HeaderValue>, String>, PageError> {
    let (sign_in, redirect) = configured(guest).ok_or(PageError::NotFound)?;
    let begun = begun.filter(|begun| begun.state == guest.query.text("state"));
    // Cookies can be forged: the platform is asked only about an attempt that was begun here.
    let attempt = begun.and_then(|begun| sign_in.begun(&begun.state, &begun.verifier, guest.now()));
    let (Some(begun), Some(attempt)) = (begun, attempt) else {
        return Ok(Err(
            "This sign-in was not begun in this browser, or took longer than ten minutes.".to_owned()
        ));
    };
    let refused = guest.query.text("error");
    let person = if refused.is_empty() {
        if strangers::admit_sign_in(&guest.context().limits, guest.request.address, &begun.state).await? {
            sign_in.finish(guest.query.text("code"), &attempt, &redirect).await
        } else {
            Err(SignInError::CodeRefused)
        }
    } else {
        Err(SignInError::of_callback(refused))
    };
    let Person { user, manages } = match person {
        Ok(person) => person,
        Err(error) => return Ok(Err(problem(&error, "Discord"))),
    };
    let arrival =
        Arrival { user: user.id, user_name: user.name, guild: None, manages, admin: false, operator: false };
    let (address, now) = (guest.request.address, guest.now());
    Ok(Ok(session::open(&guest.console, arrival, guest.headers(), address, now).await?))
}

/// Why a sign-in with a platform, or a proof by it, failed.
pub(super) fn problem(error: &SignInError, platform: &'static str) -> String {
    match error {
        SignInError::Denied => format!("{platform} says that you pressed Cancel. Nothing was read."),
        SignInError::CodeRefused | SignInError::Unauthorized | SignInError::IdToken(_) => {
            "This has expired or was used before. Begin anew.".to_owned()
        }
        SignInError::Platform(cause) => {
            tracing::warn!(platform, %cause, "a sign-in with a platform failed");
            format!("{platform} does not answer as it should at the moment. Try again in a minute.")
        }
    }
}

pub(crate) async fn out(visit: Visit) -> Result<Response, PageError> {
    let row = &visit.session.row;
    console_session::end(visit.context().database.write(), row.user_id, row.session_id).await?;
    Ok(Response::see("/console/sign-in").cookie(cookies::forget(cookies::SESSION)))
}
