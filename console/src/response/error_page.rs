//! The page in place of one that cannot be shown. It has the frame of the signed-in person, so that they can go on.
//!
//! The frame depends only on the session and the address: an error page never reveals whether something
//! hidden exists.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use http::{Method, StatusCode};
use people::Needs;

use crate::fields::Fields;
use crate::guard::own_page::{own_page, page_before, with_page};
use crate::guard::session;
use crate::html::shell::{Shell, instance};
use crate::request::Request;
use crate::response::body::Body;
use crate::response::{PageError, Response};
use crate::state::Console;
use crate::visit::{Guest, GuildVisit, Visit};

const TITLE: &str = "Not shown";
/// An error page does not wait longer for its frame, whose data may come from the failed dependency.
const FRAME_WITHIN: Duration = Duration::from_secs(1);

#[derive(Template)]
#[template(path = "error.html")]
struct Page<'a> {
    shell: Shell,
    status: StatusCode,
    text: String,
    request_id: &'a str,
    /// Where the person can try again.
    back: Option<&'a str>,
}

/// The response to a request whose page failed.
pub(crate) async fn response(
    console: &Arc<Console>,
    request: &Request,
    error: PageError,
) -> http::Response<Body> {
    let asked = format!("{}?{}", request.path, request.query);
    let asked = own_page(asked.trim_end_matches('?'));
    let request_id = &*request.request_id;
    let is_form = request.method == Method::POST;
    // The address of a form is not a page.
    let page = if is_form { page_before(&request.headers) } else { asked };
    if matches!(error, PageError::SignedOut) {
        return Response::see(with_page("/console/sign-in", page)).into_http();
    }
    if let PageError::Internal(cause) = &error {
        tracing::error!(cause, "a page of the console failed");
    }
    let (status, text) = (error.status(), error.to_string());
    let back = page.filter(|_| is_form || status.is_server_error());
    let shell = tokio::time::timeout(FRAME_WITHIN, frame(console, request)).await;
    let shell = shell.ok().flatten().unwrap_or_else(|| Shell::bare(TITLE, &request.headers));
    let response = match Response::page(&Page { shell, status, text, request_id, back }) {
        Ok(response) => response.of_error(&error),
        Err(error) => Response::text(status, error.to_string()),
    };
    response.into_http()
}

/// The frame of the signed-in person; in a guild or the instance, if the address is below it and they have
/// access.
async fn frame(console: &Arc<Console>, request: &Request) -> Option<Shell> {
    let session = session::find_for_page(console, &request.headers).await.ok()??;
    let visit = Guest::new(console, request.clone(), Vec::new(), Fields::default()).signed_in(session);
    if visit.session.row.operator && request.path.starts_with(instance::ROOT) {
        return Some(Shell::of_instance(TITLE, &visit, None));
    }
    let shell = match guild_of(&visit).await {
        Some(visit) => visit.shell(TITLE, None),
        None => visit.shell(TITLE),
    };
    // There are no times on it.
    Some(Shell { now: None, ..shell })
}

/// In the guild of the address, if the person may see anything of it.
async fn guild_of(visit: &Visit) -> Option<GuildVisit> {
    let below = visit.request.path.strip_prefix("/console/guilds/")?;
    let guild = below.split('/').next()?.parse().ok()?;
    let visit = visit.clone().in_guild(guild).await.ok()?;
    visit.rights.may(Needs::Staff).then_some(visit)
}
