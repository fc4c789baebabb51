//! The checks before a form is read, and the page that follows.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use tracing::Span;

use crate::fields::Fields;
use crate::guard::origin::is_same_origin;
use crate::guard::session;
use crate::host::Turn;
use crate::request::Request;
use crate::response::body::Unread;
use crate::response::{PageError, Response, assets, flash};
use crate::routes::{self, Page, Row};
use crate::state::Console;
use crate::visit::{Guest, GuildVisit, Visit};

/// Bytes of a form without sign-in.
const OPEN_FORM: usize = 1024;
/// Bytes of a form of a page.
const FORM: usize = 64 * 1024;

/// A request that may be answered when its form is read.
pub struct Admitted {
    asked: Asked,
    /// Few pages of a guild are read at a time.
    turn: Turn,
}

enum Asked {
    Asset(String, Box<Request>),
    Page(&'static Row, Box<Visitor>),
}

#[expect(clippy::large_enum_variant, reason = "it is boxed as a whole")]
enum Visitor {
    Guest(Guest),
    Person(Visit),
    InGuild(GuildVisit),
}

impl Visitor {
    fn guest(&self) -> &Guest {
        match self {
            Self::Guest(guest) => guest,
            Self::Person(visit) => visit,
            Self::InGuild(visit) => visit,
        }
    }

    /// `None`: not signed in.
    fn visit(&self) -> Option<&Visit> {
        match self {
            Self::Guest(_) => None,
            Self::Person(visit) => Some(visit),
            Self::InGuild(visit) => Some(visit),
        }
    }

    fn guest_mut(&mut self) -> &mut Guest {
        match self {
            Self::Guest(guest) => guest,
            Self::Person(visit) => visit.guest_mut(),
            Self::InGuild(visit) => visit.guest_mut(),
        }
    }
}

impl Admitted {
    pub(crate) fn request(&self) -> &Request {
        match &self.asked {
            Asked::Asset(_, request) => request,
            Asked::Page(_, visitor) => &visitor.guest().request,
        }
    }

    /// Bytes of the form that the page takes; `None`: it takes none.
    pub fn form_limit(&self) -> Option<usize> {
        let Asked::Page(row, _) = &self.asked else { return None };
        let usual = if matches!(row.page, Page::Open(_)) { OPEN_FORM } else { FORM };
        (row.method == Method::POST).then(|| row.takes.unwrap_or(usual))
    }

    /// The owner of the form: the guild, or the person; 0: not signed in.
    pub fn owner(&self) -> i64 {
        match &self.asked {
            Asked::Page(_, visitor) => match visitor.as_ref() {
                Visitor::InGuild(visit) => visit.guild.guild_id.get(),
                Visitor::Person(visit) => visit.session.row.user_id.get(),
                Visitor::Guest(_) => 0,
            },
            Asked::Asset(..) => 0,
        }
    }
}

/// All checks that are possible before a form is read.
pub(crate) async fn admit(console: &Arc<Console>, request: Request) -> Result<Admitted, PageError> {
    if let Some(name) = request.path.strip_prefix(assets::FOLDER) {
        let reads = matches!(request.method, Method::GET | Method::HEAD);
        let asset = Asked::Asset(name.to_owned(), Box::new(request.clone()));
        return if reads {
            Ok(Admitted { asked: asset, turn: None })
        } else {
            Err(PageError::Method("GET, HEAD"))
        };
    }
    let path = request.path.strip_suffix('/').unwrap_or(&request.path);
    let (row, params) = routes::find(&request.method, path)?;
    if row.method == Method::POST && !is_same_origin(&request.headers) {
        return Err(PageError::Forged);
    }
    let query = Fields::parse(request.query.as_bytes()).map_err(PageError::Form)?;
    let mut guest = Guest::new(console, request, params, query);
    guest.flash = flash::read(guest.headers());
    let visitor = visitor(row, guest).await?;
    let turn = turn(row, &visitor).await?;
    Ok(Admitted { asked: Asked::Page(row, Box::new(visitor)), turn })
}

/// Counts the page. One that only reads waits for its turn; a change by a form takes its turn in the API.
async fn turn(row: &Row, visitor: &Visitor) -> Result<Turn, PageError> {
    let Some(visit) = visitor.visit() else { return Ok(None) };
    session::count_page(&visit.console, &visit.session).await?;
    match visitor {
        Visitor::InGuild(visit) if row.method == Method::GET => {
            Ok(visit.console.host.turn(visit.guild.guild_id).await)
        }
        _ => Ok(None),
    }
}

async fn visitor(row: &'static Row, guest: Guest) -> Result<Visitor, PageError> {
    if let Page::Open(_) = row.page {
        return Ok(Visitor::Guest(guest));
    }
    let session = session::find_for_page(&guest.console, guest.headers()).await?;
    let session = session.ok_or(PageError::SignedOut)?;
    let visit = guest.signed_in(session);
    match row.page {
        Page::Operator(_) if !visit.session.row.operator => Err(PageError::NotFound),
        Page::Guild(needs, _) => {
            let guild = visit.param("guild")?;
            let visit = visit.in_guild(guild).await?;
            // A page that a person may not see is a 404.
            if !visit.rights.may(needs) {
                return Err(PageError::NotFound);
            }
            Span::current().record("guild.id", guild.get());
            Ok(Visitor::InGuild(visit))
        }
        _ => Ok(Visitor::Person(visit)),
    }
}

/// The page. The bytes of the form are kept until then, because they hold the memory of what was made of
/// them.
pub(crate) async fn respond(admitted: Admitted, form: Result<Bytes, Unread>) -> Result<Response, PageError> {
    let Admitted { asked, turn } = admitted;
    let (row, mut visitor) = match asked {
        Asked::Asset(name, _) => return assets::response(&name),
        Asked::Page(row, visitor) => (row, visitor),
    };
    let form = form.map_err(PageError::Form)?;
    visitor.guest_mut().form = Fields::parse(&form).map_err(PageError::Form)?;
    check_form(&visitor)?;
    let guest = visitor.guest();
    let is_shown = guest.flash.is_some() && guest.request.method == Method::GET;
    // Shown once.
    let forgotten = if is_shown { flash::forget(guest.headers()) } else { Vec::new() };
    let response = match (&row.page, *visitor) {
        (Page::Open(page), Visitor::Guest(guest)) => page(guest),
        (Page::Own(page) | Page::Operator(page), Visitor::Person(visit)) => page(visit),
        (Page::Guild(_, page), Visitor::InGuild(visit)) => page(visit),
        _ => return Err(PageError::NotFound),
    };
    let response = response.await;
    drop(turn);
    Ok(response?.cookies(forgotten))
}

/// A change needs the token of its session. Pages without a session read no text from a database.
fn check_form(visitor: &Visitor) -> Result<(), PageError> {
    let Some(visit) = visitor.visit() else { return Ok(()) };
    visit.query.check_texts().and_then(|()| visit.form.check_texts()).map_err(PageError::Form)?;
    let changes = visit.request.method == Method::POST;
    if changes && !visit.session.allows_form(visit.form.text("form_token")) {
        Err(PageError::Forged)
    } else {
        Ok(())
    }
}
