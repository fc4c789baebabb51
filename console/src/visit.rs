//! The input of a page: the person and the request, and what most pages do with it.

use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use entities::guild::grants::Grants;
use entities::{GuildId, Timestamp, guild};
use http::header::{HOST, ORIGIN};
use http::{HeaderMap, Method};
use people::{ApiAnswer, ApiCall, Caller, Needs, Rights, Viewer};
use platforms::{CallContext, Platforms};
use queue::Queue;
use runtime::{Context, Pool};
use serde_json::{Map, Value};

use crate::fields::Fields;
use crate::guard::own_page::page_before;
use crate::guard::session::Session;
use crate::html::format::When;
use crate::request::Request;
use crate::response::{Flash, PageError};
use crate::state::Console;

/// Parameters of the path, decoded.
pub(crate) type Params = Vec<(String, String)>;

/// A request before sign-in.
#[derive(Clone)]
pub(crate) struct Guest {
    pub(crate) console: Arc<Console>,
    pub(crate) request: Request,
    pub(crate) params: Params,
    pub(crate) query: Fields,
    pub(crate) form: Fields,
    pub(crate) flash: Option<Flash>,
}

/// A request of a signed-in person.
#[derive(Clone)]
pub(crate) struct Visit {
    guest: Guest,
    pub(crate) session: Session,
}

/// A request of a signed-in person in one guild.
pub(crate) struct GuildVisit {
    visit: Visit,
    pub(crate) guild: guild::Model,
    pub(crate) rights: Arc<Rights>,
    /// The powerful roles that Guildhall gives there.
    pub(crate) grants: Grants,
}

impl Guest {
    /// Without the fields of a form, which come when the request is admitted.
    pub(crate) fn new(console: &Arc<Console>, request: Request, params: Params, query: Fields) -> Self {
        Self { console: console.clone(), request, params, query, form: Fields::default(), flash: None }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.request.headers
    }

    pub(crate) fn context(&self) -> &Context {
        &self.console.context
    }

    pub(crate) fn platforms(&self) -> &Platforms {
        &self.console.platforms
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.console.queue
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.console.context.clock.now()
    }

    /// For queries outside of a transaction.
    pub(crate) fn read(&self) -> &Pool {
        self.console.context.database.read()
    }

    /// Where programs and people find this service: the public address, or else the one that the person's browser uses.
    pub(crate) fn address(&self) -> String {
        let header = |name| self.headers().get(name).and_then(|value| value.to_str().ok());
        let seen = || {
            header(ORIGIN)
                .map_or_else(|| format!("http://{}", header(HOST).unwrap_or_default()), str::to_owned)
        };
        self.console.ways_in.public_url.clone().unwrap_or_else(seen)
    }

    pub(crate) fn when(&self, at: Timestamp) -> When {
        When { at, now: self.now() }
    }

    /// A part of the path; one of another form names nothing.
    pub(crate) fn param<T: FromStr>(&self, name: &str) -> Result<T, PageError> {
        let text = self.params.iter().find(|(param, _)| param == name);
        text.and_then(|(_, text)| text.parse().ok()).ok_or(PageError::NotFound)
    }

    pub(crate) fn signed_in(self, session: Session) -> Visit {
        Visit { guest: self, session }
    }
}

impl Deref for Visit {
    type Target = Guest;

    fn deref(&self) -> &Guest {
        &self.guest
    }
}

impl Visit {
    pub(crate) fn guest_mut(&mut self) -> &mut Guest {
        &mut self.guest
    }

    /// A guild, and this person's rights there.
    pub(crate) async fn guild(&self, id: GuildId) -> Result<(guild::Model, Rights), PageError> {
        let row = guild::find(self.read(), id).await?.ok_or(PageError::NotFound)?;
        let rights = self.console.rights.of(&Viewer::of(&self.session.row), id).await?;
        Ok((row, rights))
    }

    pub(crate) async fn in_guild(self, id: GuildId) -> Result<GuildVisit, PageError> {
        let (guild, rights) = self.guild(id).await?;
        let grants = Grants::of(self.read(), &guild).await?;
        Ok(GuildVisit { visit: self, guild, rights: Arc::new(rights), grants })
    }

    /// Calls the API as this person, with these rights in the guild. `{g}` in the path is the guild.
    pub(crate) async fn api_in(
        &self,
        guild: GuildId,
        rights: Arc<Rights>,
        method: Method,
        path: &str,
        body: Map<String, Value>,
    ) -> ApiAnswer {
        let request_id = self.request.request_id.clone();
        let caller = Caller { guild, user: self.session.row.user_id, rights, member: None, request_id };
        let path = path.replace("{g}", &guild.to_string());
        self.console.host.call(caller, ApiCall { method, path, body }).await
    }
}

impl Deref for GuildVisit {
    type Target = Visit;

    fn deref(&self) -> &Visit {
        &self.visit
    }
}

impl GuildVisit {
    pub(crate) fn guest_mut(&mut self) -> &mut Guest {
        &mut self.visit.guest
    }

    pub(crate) fn may(&self, permission: &'static str) -> bool {
        self.rights.may(Needs::Permission(permission))
    }

    /// The address of a page of this guild: `/bindings` is `/console/guilds/17/bindings`.
    pub(crate) fn url(&self, page: &str) -> String {
        format!("/console/guilds/{}{page}", self.guild.guild_id)
    }

    /// The list from which a form was sent, with its filters; the first of these if it was sent from elsewhere.
    pub(crate) fn back_to(&self, lists: &[&str]) -> String {
        let is_one = |seen: &&str| {
            let path = seen.split('?').next().unwrap_or_default();
            lists.iter().any(|list| self.url(list) == path)
        };
        let seen = page_before(self.headers()).filter(is_one);
        seen.map_or_else(|| self.url(lists.first().copied().unwrap_or_default()), str::to_owned)
    }

    /// For platform calls while the person waits.
    pub(crate) fn call_context(&self) -> CallContext {
        CallContext::interactive(self.guild.guild_id)
    }

    /// Calls the API as this person. `{g}` in the path is the guild.
    pub(crate) async fn api(&self, method: Method, path: &str, body: Map<String, Value>) -> ApiAnswer {
        self.api_in(self.guild.guild_id, self.rights.clone(), method, path, body).await
    }
}
