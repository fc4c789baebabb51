//! /console/sessions: where the person is signed in.

use askama::Template;
use entities::console_session;
use uuid::Uuid;

use crate::guard::cookies;
use crate::html::client;
use crate::html::format::When;
use crate::html::shell::Shell;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "sessions.html")]
struct Page {
    shell: Shell,
    sessions: Vec<Row>,
}

struct Row {
    id: Uuid,
    client: String,
    /// As the browser sent it.
    agent: String,
    address: String,
    created: When,
    used: When,
    current: bool,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let own = &visit.session.row;
    let rows = console_session::list(visit.read(), own.user_id, visit.now()).await?;
    let sessions = rows.into_iter().map(|row| Row {
        current: row.session_id == own.session_id,
        created: visit.when(row.created_at),
        used: visit.when(row.used_at),
        id: row.session_id,
        client: client::name(&row.client),
        agent: row.client,
        address: row.address,
    });
    Response::page(&Page { shell: visit.shell("Your sessions"), sessions: sessions.collect() })
}

pub(crate) async fn end(visit: Visit) -> Result<Response, PageError> {
    let (id, own) = (visit.param::<Uuid>("session")?, &visit.session.row);
    if !console_session::end(visit.context().database.write(), own.user_id, id).await? {
        return Err(PageError::NotFound);
    }
    if id == own.session_id {
        return Ok(Response::see("/console/sign-in").cookie(cookies::forget(cookies::SESSION)));
    }
    Ok(Response::see("/console/sessions").flash(Flash::new("The session has ended.")))
}
