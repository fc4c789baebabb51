//! /console/sign-in and /console/sign-out: signing in with the chat platform.

use askama::Template;
use entities::console_session;
use http::StatusCode;
use platforms::{Person, SignIn, SignInError};
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, PageError};
use crate::cookies;
use crate::pages::link::LinkCommand;
use crate::session::{self, Arrival};
use crate::shell::Shell;
use crate::visit::{Guest, Visit};

/// How long a person may take on the platform's page, in seconds.
const ATTEMPT_FOR: i64 = 600;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page {
    shell: Shell,
    /// Signing in with the chat platform is configured.
    platform: bool,
    /// Why the last attempt failed; empty: there was none.
    problem: String,
    command: LinkCommand,
}

/// An attempt, in the browser that began it: nobody can be signed in by somebody else's attempt.
#[derive(Serialize, Deserialize)]
struct Begun {
    state: String,
    verifier: String,
}

/// The configured sign-in, and where the platform sends the browser back to.
fn configured(guest: &Guest) -> Option<(&SignIn, String)> {
    let sign_in = guest.platforms().sign_in.as_deref()?;
    Some((sign_in, format!("{}/console/sign-in/callback", guest.console.ways_in.public_url.as_ref()?)))
}

fn show(guest: &Guest, problem: String) -> Result<Answer, PageError> {
    let (platform, command) = (configured(guest).is_some(), LinkCommand::of(&guest.console));
    Answer::page(&Page { shell: Shell::bare("Sign in"), platform, problem, command })
}

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn get(guest: Guest) -> Result<Answer, PageError> {
    show(&guest, String::new())
}

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn start(guest: Guest) -> Result<Answer, PageError> {
    let (sign_in, redirect) = configured(&guest).ok_or(PageError::NotFound)?;
    let attempt = sign_in.authorize_url(&redirect);
    let begun = Begun { state: attempt.state, verifier: attempt.verifier };
    let cookie = cookies::set(cookies::ATTEMPT, &cookies::pack(&begun), ATTEMPT_FOR);
    Ok(Answer::see(attempt.url).cookie(cookie))
}

pub(crate) async fn callback(guest: Guest) -> Result<Answer, PageError> {
    let answer = match finish(&guest).await? {
        Ok(answer) => answer,
        Err(problem) => show(&guest, problem)?.status(StatusCode::FORBIDDEN),
    };
    Ok(answer.cookie(cookies::forget(cookies::ATTEMPT)))
}

/// The inner error is for the person.
async fn finish(guest: &Guest) -> Result<Result<Answer, String>, PageError> {
    let (sign_in, redirect) = configured(guest).ok_or(PageError::NotFound)?;
    let begun = cookies::read(guest.headers(), cookies::ATTEMPT).and_then(cookies::unpack::<Begun>);
    let Some(begun) = begun.filter(|begun| begun.state == guest.query.text("state")) else {
        return Ok(Err(
            "This sign-in was not begun in this browser, or took longer than ten minutes.".to_owned()
        ));
    };
    let refused = guest.query.text("error");
    let person = if refused.is_empty() {
        sign_in.finish(guest.query.text("code"), &begun.verifier, &redirect).await
    } else {
        Err(SignInError::of_callback(refused))
    };
    let Person { user, manages } = match person {
        Ok(person) => person,
        Err(error) => return Ok(Err(problem(&error))),
    };
    let arrival = Arrival { user: user.id, user_name: user.name, guild: None, manages, operator: false };
    let (address, now) = (guest.request.address, guest.now());
    let cookie = session::open(&guest.console, arrival, guest.headers(), address, now).await?;
    Ok(Ok(Answer::see("/console").cookie(cookie)))
}

fn problem(error: &SignInError) -> String {
    match error {
        SignInError::Denied => "Discord says that you pressed Cancel. Nothing was read.".to_owned(),
        SignInError::CodeRefused | SignInError::Unauthorized => {
            "This sign-in has expired or was used before. Sign in again.".to_owned()
        }
        SignInError::Platform(cause) => {
            tracing::warn!(%cause, "a sign-in with the chat platform failed");
            "Discord does not answer as it should at the moment. Try again in a minute.".to_owned()
        }
    }
}

pub(crate) async fn out(visit: Visit) -> Result<Answer, PageError> {
    let row = &visit.session.row;
    console_session::end(visit.context().database.write(), row.user_id, row.session_id).await?;
    Ok(Answer::see("/console/sign-in").cookie(cookies::forget(cookies::SESSION)))
}
