//! The one table of pages: method, path, who may see it, and the page.

use std::sync::Arc;

use entities::{GuildId, guild};
use futures_util::future::BoxFuture;
use http::Method;

use crate::answer::{Answer, PageError};
use crate::cookies;
use crate::fields::Fields;
use crate::pages;
use crate::rights::Needs;
use crate::session::{self, Session, is_same_origin};
use crate::visit::{Guest, GuildVisit, Params, Visit};
use crate::{Console, Request, assets};

type Future = BoxFuture<'static, Result<Answer, PageError>>;

enum Page {
    /// For everybody.
    Open(fn(Guest) -> Future),
    /// For who is signed in.
    Own(fn(Visit) -> Future),
    /// For operators of the instance.
    Operator(fn(Visit) -> Future),
    /// For people of a guild with these rights.
    Guild(Needs, fn(GuildVisit) -> Future),
}

struct Row {
    method: Method,
    path: &'static str,
    page: Page,
}

macro_rules! rows {
    ($($method:ident $path:literal $who:ident $(($($needs:tt)+))? $($segment:ident)::+;)*) => {
        &[$(Row {
            method: Method::$method,
            path: $path,
            page: Page::$who($(Needs::$($needs)+,)? |visit| Box::pin(pages::$($segment)::+(visit))),
        }),*]
    };
}

/// Below a guild every path begins with `/console/guilds/{guild}`.
static ROWS: &[Row] = rows! {
    GET "/console" Own home::get;
    GET "/console/sign-in" Open sign_in::get;
    GET "/console/sign-in/start" Open sign_in::start;
    GET "/console/sign-in/callback" Open sign_in::callback;
    POST "/console/sign-out" Own sign_in::out;
    GET "/console/link/{secret}" Open link::get;
    POST "/console/link/{secret}" Open link::post;
    GET "/console/sessions" Own sessions::get;
    POST "/console/sessions/{session}/end" Own sessions::end;

    GET "/console/guilds/{guild}" Guild(Staff) guilds::overview::get;
    GET "/console/guilds/{guild}/bindings" Guild(Permission("bindings.read")) guilds::bindings::get;
    POST "/console/guilds/{guild}/bindings" Guild(Permission("bindings.write")) guilds::bindings::add;
    POST "/console/guilds/{guild}/bindings/{binding}/remove" Guild(Permission("bindings.write")) guilds::bindings::remove;
};

pub(crate) struct Router(matchit::Router<Vec<&'static Row>>);

impl Router {
    #[expect(clippy::expect_used, reason = "the table is constant, and a test builds this from it")]
    pub(crate) fn new() -> Self {
        let mut tree = matchit::Router::new();
        let mut paths: Vec<_> = ROWS.iter().map(|row| row.path).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let here = ROWS.iter().filter(|row| row.path == path).collect();
            tree.insert(path, here).expect("paths of the table do not contradict each other");
        }
        Self(tree)
    }

    fn find(&self, method: &Method, path: &str) -> Option<(&'static Row, Params)> {
        let found = self.0.at(path).ok()?;
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let row = found.value.iter().copied().find(|row| row.method == *method)?;
        let decoded =
            |text: &str| Some(percent_encoding::percent_decode_str(text).decode_utf8().ok()?.into_owned());
        let params = found.params.iter().map(|(name, text)| Some((name.to_owned(), decoded(text)?)));
        Some((row, params.collect::<Option<_>>()?))
    }
}

pub(crate) async fn dispatch(console: &Arc<Console>, request: Request) -> Result<Answer, PageError> {
    if let Some(name) = request.path.strip_prefix(assets::FOLDER) {
        return assets::answer(name);
    }
    let path = request.path.strip_suffix('/').unwrap_or(&request.path);
    let (row, params) = console.router.find(&request.method, path).ok_or(PageError::NotFound)?;
    if request.method == Method::POST && !is_same_origin(&request.headers) {
        return Err(PageError::Forged);
    }
    let said = cookies::read(&request.headers, cookies::SAID).and_then(cookies::unpack);
    let guest = Guest {
        console: console.clone(),
        params,
        query: Fields::parse(request.query.as_bytes()),
        form: Fields::parse(&request.body),
        said,
        request,
    };
    let was_said = guest.said.is_some() && guest.request.method == Method::GET;
    let answer = show(row, guest).await?;
    // Shown once.
    Ok(if was_said { answer.cookie(cookies::forget(cookies::SAID)) } else { answer })
}

async fn show(row: &'static Row, guest: Guest) -> Result<Answer, PageError> {
    let page = match &row.page {
        Page::Open(page) => return page(guest).await,
        page => page,
    };
    let session = session::find(&guest.console, guest.headers()).await?.ok_or(PageError::SignedOut)?;
    check_form(&guest, &session)?;
    let visit = guest.signed_in(session);
    match page {
        Page::Own(page) => page(visit).await,
        Page::Operator(page) if visit.session.row.operator => page(visit).await,
        Page::Guild(needs, page) => {
            let guild: GuildId = visit.param("guild")?;
            let row = guild::find(visit.read(), guild).await?.ok_or(PageError::NotFound)?;
            let viewer = crate::rights::Viewer::of(&visit.session.row);
            let rights = visit.console.rights_of(&viewer, guild).await?;
            // What a person may not see does not exist.
            if !rights.may(*needs) {
                return Err(PageError::NotFound);
            }
            page(visit.in_guild(row, rights)).await
        }
        _ => Err(PageError::NotFound),
    }
}

/// A change needs the token of its session.
fn check_form(guest: &Guest, session: &Session) -> Result<(), PageError> {
    let changes = guest.request.method == Method::POST;
    if changes && !session.allows_form(guest.form.text("form_token")) {
        Err(PageError::Forged)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_its_method_with_decoded_parameters() {
        let router = Router::new();
        let (row, params) = router.find(&Method::HEAD, "/console/guilds/1%37/bindings").unwrap();
        assert_eq!((row.path, params[0].1.as_str()), ("/console/guilds/{guild}/bindings", "17"));
        assert!(router.find(&Method::DELETE, "/console/guilds/17/bindings").is_none());
        assert!(router.find(&Method::GET, "/console/guilds/%FF").is_none());
    }

    #[test]
    fn changes_are_posts_and_pages_of_a_guild_are_below_it() {
        for row in ROWS {
            assert!([Method::GET, Method::POST].contains(&row.method), "{}", row.path);
            let of_guild = row.path.starts_with("/console/guilds/{guild}");
            assert_eq!(matches!(row.page, Page::Guild(..)), of_guild, "{}", row.path);
        }
    }
}
