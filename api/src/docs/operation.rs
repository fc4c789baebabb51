//! What the documentation says of an endpoint beside its row in the route table.

use ::http::Method;

use super::shape::{Shape, text, whole};

/// Endpoints that are read about together.
pub(super) struct Area {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) operations: Vec<Op>,
}

/// Words of `error` that a status can carry here, beside those it has everywhere.
pub(super) type Refusal = (u16, &'static [&'static str]);

#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each with its own part of the document"
)]
pub(super) struct Op {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) about: Option<&'static str>,
    pub(super) guild_header: bool,
    /// Names that end in `?` may be absent.
    pub(super) query: Vec<(&'static str, Shape)>,
    pub(super) body: Option<Shape>,
    pub(super) data: Option<Shape>,
    pub(super) says: Option<&'static str>,
    pub(super) refusals: Vec<Refusal>,
    /// A worker does it: 202 when it takes longer than the caller waits.
    pub(super) job: bool,
    pub(super) etag: bool,
    /// Switches to WebSocket.
    pub(super) upgrades: bool,
}

impl Op {
    fn new(method: Method, path: &'static str, summary: &'static str) -> Self {
        Self {
            method,
            path,
            summary,
            about: None,
            guild_header: false,
            query: Vec::new(),
            body: None,
            data: None,
            says: None,
            refusals: Vec::new(),
            job: false,
            etag: false,
            upgrades: false,
        }
    }

    pub(super) fn about(mut self, text: &'static str) -> Self {
        self.about = Some(text);
        self
    }

    /// The interface sends the guild in `X-Guild-ID` here.
    pub(super) fn guild_header(mut self) -> Self {
        self.guild_header = true;
        self
    }

    pub(super) fn query(mut self, name: &'static str, shape: Shape) -> Self {
        self.query.push((name, shape));
        self
    }

    /// `limit` and `cursor`; `cursor` is the id of the last entry received.
    pub(super) fn paged(self, cursor: Shape) -> Self {
        let limit = whole(1, i64::MAX, 50).about("Entries of a page; more than 100 counts as 100.");
        let cursor = cursor.about("`next_cursor` of the page before.");
        self.query("limit?", limit.default(50)).query("cursor?", cursor)
    }

    /// Whole, unless a page is asked for.
    pub(super) fn paged_if_asked(self, cursor: Shape) -> Self {
        let limit = whole(1, i64::MAX, 50).about("Asks for a page of so many entries, at most 100.");
        let cursor = cursor.about("Asks for the page after this entry.");
        self.query("limit?", limit).query("cursor?", cursor)
    }

    pub(super) fn body(mut self, shape: Shape) -> Self {
        self.body = Some(shape);
        self
    }

    pub(super) fn data(mut self, shape: Shape) -> Self {
        self.data = Some(shape);
        self
    }

    /// Always carries a message such as this one.
    pub(super) fn says(mut self, message: &'static str) -> Self {
        self.says = Some(message);
        self
    }

    pub(super) fn refuses(mut self, status: u16, words: &'static [&'static str]) -> Self {
        self.refusals.push((status, words));
        self
    }

    /// Asks a platform before it answers.
    pub(super) fn asks_platform(self) -> Self {
        self.refuses(502, &["platform_refused"])
    }

    pub(super) fn job(mut self) -> Self {
        self.job = true;
        self.refuses(409, &["cancelled"]).refuses(422, &[]).refuses(502, &["platform_refused"])
    }

    pub(super) fn etag(mut self) -> Self {
        self.etag = true;
        self
    }

    pub(super) fn upgrades(mut self) -> Self {
        self.upgrades = true;
        self.refuses(426, &["upgrade_required"])
    }
}

pub(super) fn get(path: &'static str, summary: &'static str) -> Op {
    Op::new(Method::GET, path, summary)
}

pub(super) fn post(path: &'static str, summary: &'static str) -> Op {
    Op::new(Method::POST, path, summary)
}

pub(super) fn patch(path: &'static str, summary: &'static str) -> Op {
    Op::new(Method::PATCH, path, summary)
}

pub(super) fn put(path: &'static str, summary: &'static str) -> Op {
    Op::new(Method::PUT, path, summary)
}

pub(super) fn delete(path: &'static str, summary: &'static str) -> Op {
    Op::new(Method::DELETE, path, summary)
}

/// A reason that is sent.
pub(super) fn reason() -> Shape {
    text(1000, "exploiting")
}
