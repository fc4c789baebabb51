//! One request from match to response, in the order match, key, guild, scope, rate limit, body.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use tokio_util::task::AbortOnDropHandle;
use warp::ws::Ws;

use crate::auth::{admission, check};
use crate::call::Call;
use crate::idempotency::replay;
use crate::request::body::Body;
use crate::request::body_reader::{self, BodyStream};
use crate::request::page::NextPage;
use crate::request::params::Params;
use crate::request::prefer::Prefer;
use crate::request::query::Query;
use crate::response::error::ApiError;
use crate::response::reply::Reply;
use crate::route::Route;
use crate::server::request_log::RequestLog;
use crate::server::router::{Found, Router, plain};
use crate::state::State;

/// Timeout of a request, plus the requested wait for a job.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) peer: IpAddr,
    pub(crate) upgrade: Option<Ws>,
    pub(crate) body: BodyStream,
}

/// Shared by all requests.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) state: Arc<State>,
    pub(crate) router: Arc<Router>,
}

/// Runs the request in a task of its own: a disconnect does not interrupt a write, and a panic becomes a 500 like any
/// other. A read is dropped with its client.
pub(crate) async fn answer(server: Server, request: Request) -> Response<Bytes> {
    let log = RequestLog::new(&request.method, &request.headers);
    let spare = log.clone();
    let reading = matches!(request.method, Method::GET | Method::HEAD);
    let tracker = server.state.context.shutdown.tracker().clone();
    let task = tracker.spawn(in_time(server, request, log));
    let ended = if reading { AbortOnDropHandle::new(task).await } else { task.await };
    ended.unwrap_or_else(|error| spare.finish(Err(ApiError::internal(error))))
}

async fn in_time(server: Server, request: Request, mut log: RequestLog) -> Response<Bytes> {
    let method = asked(&request.method);
    let (route, params) = match server.router.find(&method, plain(&request.path)) {
        Ok(Found::Endpoint(route, params)) => (route, params),
        Ok(Found::Page(page)) => {
            let answered = (page.answer)(page.path, server.state).await;
            return answered.unwrap_or_else(|error| log.finish(Err(error)));
        }
        Err(error) => return log.finish(Err(error)),
    };
    log.route = route.path;
    let waits = if route.enqueues { Prefer::of(&request.headers).asked_wait() } else { Duration::ZERO };
    let work = serve(&server.state, (route, params), request, &mut log);
    let work = tokio::time::timeout(REQUEST_TIMEOUT + waits, work);
    let result = match server.state.context.shutdown.hard().run_until_cancelled(work).await {
        Some(Ok(result)) => result,
        Some(Err(_)) => Err(ApiError::unavailable("timeout", "the request took too long")),
        None => Err(ApiError::unavailable("stopping", "this process stops")),
    };
    log.finish(result)
}

async fn serve(
    state: &Arc<State>,
    (route, params): (&'static Route, Params),
    request: Request,
    log: &mut RequestLog,
) -> Result<Reply, ApiError> {
    let Request { path, query: raw, headers, peer, upgrade, body, .. } = request;
    let key = check::authenticate(state, &headers, peer).await?;
    log.guild = Some(key.guild());
    log.window = Some(admission::admit(state, route, (&params, &headers), &key).await?);
    let query = Query::parse(&raw)?;
    let body =
        if route.method == Method::GET { Body::default() } else { read_body(body, &headers, route).await? };
    admission::check_body_guild(&body, key.guild())?;
    let idempotency_key = if route.writes { replay::key_of(&headers)? } else { None };
    let call = Call {
        state: state.clone(),
        key,
        request_id: log.request_id.clone(),
        params,
        query,
        body,
        headers,
        idempotency: None,
        upgrade,
        next_page: NextPage::default(),
    };
    let next_page = call.next_page.clone();
    let mut reply = match idempotency_key {
        Some(name) => replay::run(call, route, name, plain(&path)).await,
        None => (route.endpoint.handle)(call).await,
    }?;
    reply.next_page = next_page.link(&path, &raw);
    Ok(reply)
}

async fn read_body(body: BodyStream, headers: &HeaderMap, route: &Route) -> Result<Body, ApiError> {
    Body::parse(&body_reader::read(body, headers, route.body_limit).await?)
}

/// Every GET endpoint serves HEAD (docs/rules.md 8): the same response; the server omits the body.
fn asked(method: &Method) -> Method {
    if *method == Method::HEAD { Method::GET } else { method.clone() }
}
