//! The API as pages and chat commands call it: the same table, handlers and answers as over HTTP, for a person instead of a key.

use std::sync::Arc;

use console::{Host, Over, ProcessFigures, Turn};
use entities::{ChatId, GuildId};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Response};
use people::actions::needs_of;
use people::{Api, ApiAnswer, ApiCall, Caller as Signed};
use runtime::telemetry::{SPANS, traces};
use serde_json::Value;
use tracing::{Instrument, field};

use crate::auth::admission;
use crate::call::Call;
use crate::call::caller::{Caller, lacking};
use crate::request::body::Body;
use crate::request::url::Query;
use crate::response::error::ApiError;
use crate::response::payload::Payload;
use crate::response::reply::Reply;
use crate::server::figures;
use crate::server::request_log::RequestLog;
use crate::server::router::{Found, Router, plain};
use crate::state::State;

#[derive(Clone)]
pub(crate) struct InProcess {
    pub(crate) state: Arc<State>,
    pub(crate) router: Arc<Router>,
}

impl Api for InProcess {
    fn call(&self, caller: Signed, call: ApiCall) -> BoxFuture<'static, ApiAnswer> {
        let mut log = RequestLog::new(&call.method, &HeaderMap::new());
        log.request_id = caller.request_id.clone();
        // Below the span of the page's request, whose fields its lines carry too.
        let method = call.method.as_str();
        log.span =
            tracing::error_span!(target: SPANS, "call", call.method = method, call.route = field::Empty);
        log.trace_id = traces::begin(&log.span, None);
        let (api, mut spare, span) = (self.clone(), log.clone(), log.span.clone());
        let work = async move {
            let result = api.answer(caller, call, &mut log).await;
            envelope(log.finish(result))
        };
        // A change goes on when the person's browser disconnects.
        let work = self.state.context.shutdown.tracker().spawn(work.instrument(span));
        let ended = work.map(move |ended| {
            ended.unwrap_or_else(|error| envelope(spare.finish(Err(ApiError::internal(error)))))
        });
        ended.boxed()
    }
}

impl Host for InProcess {
    fn count_page(&self, person: ChatId) -> BoxFuture<'static, Result<(), Over>> {
        let state = self.state.clone();
        async move { admission::spend_on_page(&state, person).await }.boxed()
    }

    fn turn(&self, guild: GuildId) -> BoxFuture<'static, Turn> {
        let turns = self.state.page_turns.clone();
        async move { turns.take(guild).await }.boxed()
    }

    fn figures(&self) -> ProcessFigures {
        figures::of(&self.state)
    }
}

impl InProcess {
    async fn answer(self, caller: Signed, call: ApiCall, log: &mut RequestLog) -> Result<Reply, ApiError> {
        let Signed { guild, user, rights, member, request_id } = caller;
        let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
        let Found::Endpoint(route, params) = self.router.find(&call.method, plain(path))? else {
            return Err(ApiError::no_such_path());
        };
        log.route = route.path;
        log.span.record("call.route", route.path);
        let needs = needs_of(&route.method, route.path).ok_or_else(keys_only)?;
        lacking(&rights, needs)?;
        admission::spend_as_person(&self.state, route, user).await?;
        let _turn = if route.takes_turns() { self.state.turns.take(guild).await } else { None };
        let call = Call {
            caller: Caller::Person { guild, user, rights, member },
            request_id,
            params,
            query: Query::parse(query)?,
            body: Body::of(call.body)?,
            headers: Arc::default(),
            head: false,
            idempotency: None,
            upgrade: None,
            state: self.state.clone(),
        };
        route.run(call).await
    }
}

fn keys_only() -> ApiError {
    ApiError::forbidden("keys_only", "this call is for keys: people make those of `people::actions`")
}

fn envelope(response: Response<Payload>) -> ApiAnswer {
    let status = response.status();
    let body = match response.into_body() {
        Payload::Own(body) => serde_json::from_slice(&body).unwrap_or_default(),
        // Callers in this process read lists from the database.
        Payload::Shared(_) | Payload::Made(_) => Value::Null,
    };
    ApiAnswer { status, body }
}
