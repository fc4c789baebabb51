//! One request from the connection to the response, in the order match, key, guild, scope, rate limit, body.

use std::convert::Infallible;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use chat_commands::ChatCommands;
use console::Console;
use futures_util::{FutureExt, StreamExt};
use http::{HeaderMap, HeaderValue, Method, Response, header};
use hyper::upgrade::OnUpgrade;
use runtime::AccessLog;
use tracing::Instrument;
use warp::Filter;
use warp::path::FullPath;

use crate::auth::admission;
use crate::cache::keys::Key;
use crate::call::Call;
use crate::call::caller::Caller;
use crate::call::route::{Route, Runs};
use crate::openapi::dashboard;
use crate::request::bodies::BodyStream;
use crate::request::body::Body;
use crate::request::prefer::Prefer;
use crate::request::url::{Params, Query};
use crate::request::{client_address, page};
use crate::response::error::ApiError;
use crate::response::gzip;
use crate::response::payload::{self, Payload};
use crate::response::reply::Reply;
use crate::server::console_page;
use crate::server::cors;
use crate::server::live::open::{self, Opening};
use crate::server::replay;
use crate::server::request_log::{RequestLog, UNMATCHED};
use crate::server::router::{Found, Router, asked, plain, version};
use crate::server::{interactions, webhook};
use crate::state::State;

/// Timeout of a request, plus the requested wait for a job.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// What the connection adds to a request. The headers are moved here, because warp would copy each of them.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub(crate) peer: IpAddr,
    pub(crate) headers: Arc<HeaderMap>,
}

/// In a box, because layer after layer moves it.
struct Request {
    method: Method,
    path: String,
    query: String,
    headers: Arc<HeaderMap>,
    peer: IpAddr,
    upgrade: Option<OnUpgrade>,
    body: BodyStream,
}

/// Shared by all requests.
pub(crate) struct Server {
    pub(crate) state: Arc<State>,
    pub(crate) router: Arc<Router>,
    pub(crate) console: Arc<Console>,
    pub(crate) chat: Arc<ChatCommands>,
}

/// The one warp filter; the route table does the matching.
pub(crate) fn filter(
    server: Arc<Server>,
) -> impl Filter<Extract = (impl warp::Reply,), Error = Infallible> + Clone {
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::ext::get::<Arrived>())
        // The endpoint decides whether the connection leaves HTTP.
        .and(warp::ext::optional::<OnUpgrade>())
        .and(warp::body::stream())
        .then(
            move |method,
                  path: FullPath,
                  query,
                  Arrived { peer, headers },
                  upgrade: Option<OnUpgrade>,
                  body| {
                let body = StreamExt::map(body, bytes_of);
                let path = path.as_str().to_owned();
                // A HEAD gets the headers of an answer, never another protocol.
                let upgrade = upgrade.filter(|_| method == Method::GET);
                let request = Request { method, path, query, headers, peer, upgrade, body: body.boxed() };
                answer(server.clone(), Box::new(request))
            },
        )
        .recover(|rejection: warp::Rejection| async move { Ok::<_, Infallible>(unfit(&rejection)) })
        .unify()
        .map(payload::into_warp)
}

/// The response, in an encoding that the client accepts.
async fn answer(server: Arc<Server>, request: Box<Request>) -> Response<Payload> {
    let origins = &server.state.options.cors_origins;
    if origins.is_empty() {
        return encoded(server, request).await;
    }
    let origin = cors::allowed(&request.headers, origins);
    let preflight = origin.as_ref().and_then(|_| cors::preflight(&request.method, &request.headers));
    let mut response = match preflight {
        Some(response) => response,
        None => encoded(server, request).await,
    };
    response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        cors::open(origin, &mut response);
    }
    response
}

async fn encoded(server: Arc<Server>, request: Box<Request>) -> Response<Payload> {
    let gzip = gzip::is_asked_for(&request.headers);
    gzip::encode(gzip, guarded(server, request).await).await
}

fn bytes_of(part: Result<impl Buf, warp::Error>) -> Result<Bytes, warp::Error> {
    part.map(|mut part| part.copy_to_bytes(part.remaining()))
}

/// The filter accepts every request; a rejection is a bug.
fn unfit(rejection: &warp::Rejection) -> Response<Payload> {
    let mut log = RequestLog::new(&Method::GET, &HeaderMap::new());
    log.finish(Err(ApiError::internal(format!("{rejection:?}"))))
}

/// A change runs in a task of its own, so that a disconnect does not interrupt it; others are dropped with their client.
/// A panic becomes a 500 like any other.
async fn guarded(server: Arc<Server>, request: Box<Request>) -> Response<Payload> {
    let options = &server.state.options;
    let mut log = RequestLog::new(&request.method, &request.headers);
    if options.access_log != AccessLog::Off {
        let client = client_address::of(request.peer, &request.headers, &options.trusted_proxies);
        log.access = Some((options.access_log, client));
    }
    let found = match server.router.find(&asked(&request.method), plain(&request.path)) {
        Ok(found) => found,
        Err(error) => {
            log.open_span(UNMATCHED, &request.headers);
            return log.finish(Err(error));
        }
    };
    log.open_span(found.route(), &request.headers);
    let span = log.span.clone();
    let ended = if outlives_client(&found, &request) {
        let tracker = server.state.context.shutdown.tracker().clone();
        let mut own = log.clone();
        let work = async move { in_time(&server, found, request, &mut own).await };
        tracker.spawn(work.instrument(span)).await.map_err(|error| error.to_string())
    } else {
        let work = AssertUnwindSafe(in_time(&server, found, request, &mut log).instrument(span));
        work.catch_unwind().await.map_err(|_| "a handler panicked".to_owned())
    };
    ended.unwrap_or_else(|error| log.finish(Err(ApiError::internal(error))))
}

fn outlives_client(found: &Found, request: &Request) -> bool {
    match found {
        Found::Endpoint(route, _) => route.writes && route.runs != Runs::InMemory,
        Found::Console => !matches!(request.method, Method::GET | Method::HEAD),
        // What has begun goes on by itself.
        Found::Page(_) | Found::Dashboard(_) | Found::Interactions | Found::Webhook => false,
    }
}

async fn in_time(
    server: &Server,
    found: Found,
    request: Box<Request>,
    log: &mut RequestLog,
) -> Response<Payload> {
    let (route, params) = match found {
        Found::Endpoint(route, params) => (route, params),
        // Boxed, because the layers above move the space that each request may need.
        Found::Dashboard(params) => return Box::pin(dashboard(server, params, request, log)).await,
        Found::Interactions => return Box::pin(interaction(server, request, log)).await,
        Found::Webhook => {
            let from = client_of(server, &request);
            let Request { headers, body, .. } = *request;
            return Box::pin(webhook::serve(&server.state, (headers, body, from), log)).await;
        }
        Found::Console => return Box::pin(page_of_console(server, request, log)).await,
        Found::Page(page) => {
            if let Some(moved) = page.moved(&request.path) {
                return moved.map(Payload::Own);
            }
            let answered = (page.answer)(page.path, server.state.clone()).await;
            return answered.map_or_else(|error| log.finish(Err(error)), |page| page.map(Payload::Own));
        }
    };
    log.route = route.path;
    let waits =
        if route.runs == Runs::AsJobs { Prefer::of(&request.headers).asked_wait() } else { Duration::ZERO };
    let work = serve(&server.state, route, params, request, log);
    let result = tokio::select! {
        // Most work ends at once: then nothing else is polled.
        biased;
        result = tokio::time::timeout(REQUEST_TIMEOUT + waits, work) => {
            result.unwrap_or_else(|_| Err(too_slow()))
        }
        () = server.state.context.shutdown.hard().cancelled() => {
            Err(ApiError::unavailable("stopping", "this process stops"))
        }
    };
    log.finish(result)
}

async fn within_limit<T>(work: impl Future<Output = T>) -> Result<T, ApiError> {
    tokio::time::timeout(REQUEST_TIMEOUT, work).await.map_err(|_| too_slow())
}

fn too_slow() -> ApiError {
    ApiError::unavailable("timeout", "the request took too long")
}

async fn interaction(server: &Server, request: Box<Request>, log: &mut RequestLog) -> Response<Payload> {
    let from = client_of(server, &request);
    let Request { headers, body, .. } = *request;
    interactions::serve(&server.state, &server.chat, (headers, body, from), log).await
}

fn client_of(server: &Server, request: &Request) -> IpAddr {
    client_address::of(request.peer, &request.headers, &server.state.options.trusted_proxies)
}

async fn page_of_console(server: &Server, request: Box<Request>, log: &mut RequestLog) -> Response<Payload> {
    log.route = console::ROOT;
    let address = client_of(server, &request);
    let Request { method, path, query, headers, body, .. } = *request;
    let request_id = log.request_id.clone();
    let request = console::Request { method, path, query, headers, address, request_id };
    let page = console_page::answer(&server.state, &server.console, request, body);
    match within_limit(page).await {
        Ok(page) => log.finish_bare(page),
        Err(error) => log.finish(Err(error)),
    }
}

/// The live socket of a dashboard: for people, so it has no key, scope or rate limit.
async fn dashboard(
    server: &Server,
    params: Params,
    request: Box<Request>,
    log: &mut RequestLog,
) -> Response<Payload> {
    log.route = dashboard::PATH;
    let Request { query, headers, peer, upgrade, .. } = *request;
    let address = client_address::of(peer, &headers, &server.state.options.trusted_proxies);
    let opening = Opening { params, query, headers, address, upgrade };
    let opened = within_limit(open::open(&server.state, &server.console, opening)).await;
    log.finish(opened.flatten())
}

async fn serve(
    state: &Arc<State>,
    route: &'static Route,
    params: Params,
    request: Box<Request>,
    log: &mut RequestLog,
) -> Result<Reply, ApiError> {
    let Request { method, path, query: raw, headers, peer, upgrade, body } = *request;
    let key = admission::authenticate(state, route, &headers, peer).await?;
    log.span.record("guild.id", key.guild().get());
    log.key = log.access.map(|_| key.public_id().into());
    log.window = admission::admit(state, route, &params, &headers, &key).await?;
    let query = Query::parse(&raw);
    let sent = match route.method {
        _ if query.is_err() => Ok(Bytes::new()),
        Method::GET => Ok(Bytes::new()),
        // Boxed, because most requests have no body.
        _ => Box::pin(state.bodies.read(body, &headers, route.body_limit, key.guild().get())).await,
    };
    // The bytes are held until the answer, as is what was made of them.
    let (query, body, _sent) = match sent.and_then(|sent| Ok((query?, Body::read(&sent, &headers)?, sent))) {
        Ok(read) => read,
        Err(error) if route.counts_by_body() => {
            return Err(Box::pin(unread(state, &key, error)).await);
        }
        Err(error) => return Err(error),
    };
    if route.counts_by_body() {
        log.window = Some(Box::pin(admission::admit_by_body(state, &key, &body)).await?);
    }
    admission::check_body_guild(&body, key.guild())?;
    let _turn = if route.takes_turns() { state.turns.take(key.guild()).await } else { None };
    let idempotency_key = replay::key_for(route, &headers)?.map(|name| (key.id(), name));
    let guild = key.guild();
    let call = Call {
        state: state.clone(),
        caller: Caller::Key(key),
        request_id: log.request_id.clone(),
        params,
        query,
        body,
        headers,
        head: method == Method::HEAD,
        idempotency: None,
        upgrade,
    };
    let mut reply = match idempotency_key {
        Some(name) => Box::pin(replay::run(call, route, name, plain(&path))).await,
        None => route.run(call).await,
    }?;
    // A change is done: its answer, which is small, waits for nothing.
    if let Some(bytes) = reply.large().filter(|_| route.method == Method::GET) {
        let mut memory = state.large_answers.memory(guild);
        Box::pin(state.cover(&mut memory, bytes)).await?;
        reply = reply.held_by(memory)?;
    }
    reply.location = reply.location.map(|location| format!("{}{location}", version(&path)));
    reply.next_page = reply.next_cursor.as_ref().map(|cursor| page::link(&path, &raw, cursor));
    Ok(reply)
}

/// The refusal of a call that is counted by its body, which cannot be read: it counts as one of no server.
async fn unread(state: &State, key: &Key, error: ApiError) -> ApiError {
    match admission::admit_by_body(state, key, &Body::default()).await {
        Ok(window) => error.window(Some(window)),
        Err(refused) => refused,
    }
}

#[cfg(test)]
mod tests;
