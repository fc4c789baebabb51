//! The documentation of an endpoint beyond its row in the route table; the endpoint's file builds it.

use serde_json::Value;
use utoipa::ToSchema;

use crate::request::parts::{Field, Part, Request};
use crate::schema::shape::{self, Shape};

pub(crate) struct Body {
    pub(crate) name: &'static str,
    pub(crate) parts: Vec<Part>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each with its own part of the document"
)]
#[derive(Default)]
pub(crate) struct Operation {
    /// Operation id for code generators.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) about: Option<&'static str>,
    /// Takes the guild from the header `X-Guild-ID`.
    pub(crate) guild_header: bool,
    pub(crate) query: Vec<Part>,
    pub(crate) body: Option<Body>,
    /// Used where the combined examples of all fields make no sense.
    pub(crate) body_example: Option<Value>,
    pub(crate) data: Option<Shape>,
    pub(crate) message: Option<&'static str>,
    /// Error codes that a status can have here, beside its general ones.
    pub(crate) refusals: Vec<(u16, &'static [&'static str])>,
    /// A worker runs it: 202 when it takes longer than the client waits.
    pub(crate) job: bool,
    pub(crate) etag: bool,
    /// Switches to WebSocket.
    pub(crate) upgrades: bool,
}

impl Operation {
    pub(crate) fn new(id: &'static str, summary: &'static str) -> Self {
        Self { id, summary, ..Self::default() }
    }

    pub(crate) fn about(mut self, text: &'static str) -> Self {
        self.about = Some(text);
        self
    }

    pub(crate) fn guild_header(mut self) -> Self {
        self.guild_header = true;
        self
    }

    pub(crate) fn query<T: Request>(mut self) -> Self {
        self.query.extend(T::parts());
        self
    }

    /// `limit` and `cursor`; `cursor` is the id of the last entry received.
    pub(crate) fn paged<C: Field>(self) -> Self {
        self.page::<C>(
            shape::whole(1, i64::MAX, 50).default(50),
            "Entries of a page; more than 100 counts as 100.",
            "`next_cursor` of the previous page.",
        )
    }

    /// Complete, unless a page is requested.
    pub(crate) fn paged_if_asked<C: Field>(self) -> Self {
        self.page::<C>(
            shape::whole(1, i64::MAX, 50),
            "Requests a page of this many entries, at most 100.",
            "Requests the page after this entry.",
        )
    }

    fn page<C: Field>(mut self, limit: Shape, about_limit: &str, about_cursor: &str) -> Self {
        self.query.push(Part::optional("limit", limit.about(about_limit)));
        self.query.push(Part::optional("cursor", C::shape().about(about_cursor)));
        self
    }

    /// Every body may name the guild too. A body that is read as several structs has the fields of all, and the name of
    /// the last.
    pub(crate) fn body<T: Request>(mut self) -> Self {
        let guild = || vec![Part::of::<Option<entities::GuildId>>("guild_id", "The key's guild.")];
        let mut parts = self.body.map_or_else(guild, |body| body.parts);
        parts.extend(T::parts());
        self.body = Some(Body { name: T::NAME, parts });
        self
    }

    pub(crate) fn body_example(mut self, example: Value) -> Self {
        self.body_example = Some(example);
        self
    }

    pub(crate) fn data<T: ToSchema>(mut self) -> Self {
        self.data = Some(shape::answered::<T>());
        self
    }

    /// The data is the list itself.
    pub(crate) fn data_list<T: ToSchema>(mut self) -> Self {
        self.data = Some(shape::list(shape::answered::<T>()));
        self
    }

    /// Always has a message such as this one.
    pub(crate) fn message(mut self, message: &'static str) -> Self {
        self.message = Some(message);
        self
    }

    pub(crate) fn refuses(mut self, status: u16, words: &'static [&'static str]) -> Self {
        self.refusals.push((status, words));
        self
    }

    /// Calls a platform before it responds.
    pub(crate) fn asks_platform(self) -> Self {
        self.refuses(502, &["platform_refused"])
    }

    pub(crate) fn job(mut self) -> Self {
        self.job = true;
        self.refuses(409, &["cancelled"]).refuses(422, &["too_many"]).refuses(502, &["platform_refused"])
    }

    pub(crate) fn etag(mut self) -> Self {
        self.etag = true;
        self
    }

    pub(crate) fn upgrades(mut self) -> Self {
        self.upgrades = true;
        self.refuses(426, &["upgrade_required"])
    }
}
