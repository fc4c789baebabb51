//! Paths beside the API: health and documentation. They need no key and have no envelope and no rate limit.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::Response;
use runtime::ops_answer;

use crate::openapi::serve;
use crate::response::error::ApiError;
use crate::state::State;

type Answer = Result<Response<Bytes>, ApiError>;

const DOCS: &str = "/docs";

/// A path that takes GET.
pub(crate) struct Page {
    pub(crate) path: &'static str,
    pub(crate) answer: fn(&'static str, Arc<State>) -> BoxFuture<'static, Answer>,
}

pub(crate) static PAGES: [Page; 22] = [
    page("/", |_, _| Box::pin(std::future::ready(Ok(serve::home())))),
    page("/health/live", |path, state| Box::pin(ops(path, state))),
    page("/health/ready", |path, state| Box::pin(ops(path, state))),
    page("/openapi.json", |_, _| Box::pin(std::future::ready(serve::document()))),
    page(DOCS, |_, _| Box::pin(std::future::ready(Ok(serve::page())))),
    page("/docs/webhooks", |_, _| Box::pin(std::future::ready(Ok(serve::webhooks())))),
    page("/docs/games", |_, _| Box::pin(std::future::ready(Ok(serve::games())))),
    page("/docs/guildhall.rbxmx", |_, _| Box::pin(std::future::ready(Ok(serve::luau_model())))),
    file("/docs/page.css"),
    file("/docs/page.js"),
    file("/docs/code.js"),
    file("/docs/dom.js"),
    file("/docs/examples.js"),
    file("/docs/key.js"),
    file("/docs/menu.js"),
    file("/docs/operation.js"),
    file("/docs/request.js"),
    file("/docs/results.js"),
    file("/docs/schema.js"),
    file("/docs/search.js"),
    file("/docs/try.js"),
    file("/docs/words.js"),
];

impl Page {
    /// The answer to a path with a slash at its end, for pages that cannot have one.
    pub(crate) fn moved(&self, path: &str) -> Option<Response<Bytes>> {
        (self.path == DOCS && path.ends_with('/')).then(serve::moved)
    }
}

/// A file of the page [`DOCS`].
const fn file(path: &'static str) -> Page {
    page(path, |path, _| Box::pin(std::future::ready(serve::file(path))))
}

const fn page(
    path: &'static str,
    answer: fn(&'static str, Arc<State>) -> BoxFuture<'static, Answer>,
) -> Page {
    Page { path, answer }
}

/// `/health/live` and `/health/ready`, as in every process.
async fn ops(path: &'static str, state: Arc<State>) -> Answer {
    ops_answer(path, &state.context.readiness).await.ok_or_else(ApiError::no_such_path)
}
