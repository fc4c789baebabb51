//! One request from match to answer, in the order match, key, guild, scope, quota, only then the body.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use ::http::{HeaderMap, Method, Response};
use bytes::Bytes;
use tokio_util::task::AbortOnDropHandle;
use warp::ws::Ws;

use super::body::{self, BodyStream};
use super::error::ApiError;
use super::etag::IfNoneMatch;
use super::ops;
use super::prefer::Prefer;
use super::query::Query;
use super::record::Record;
use super::reply::Reply;
use crate::app::App;
use crate::call::Call;
use crate::fields::Fields;
use crate::page::NextPage;
use crate::route::plain;
use crate::{docs, guard, idempotency};

/// A request takes no longer, plus what its sender asked to wait for a job.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) headers: HeaderMap,
    pub(super) address: IpAddr,
    pub(super) upgrade: Option<Ws>,
    pub(super) body: BodyStream,
}

/// Runs the request in a task of its own: a client that goes away does not leave a write half-answered, and a panic
/// is a 500 like any other. A read is dropped with its client.
pub(super) async fn answer(app: Arc<App>, request: Request) -> Response<Bytes> {
    let record = Record::new(&request.method, &request.headers);
    let spare = record.clone();
    let reading = matches!(request.method, Method::GET | Method::HEAD);
    let task = app.context.shutdown.tracker().spawn(in_time(app.clone(), request, record));
    let ended = if reading { AbortOnDropHandle::new(task).await } else { task.await };
    ended.unwrap_or_else(|error| spare.finish(Err(ApiError::internal(error))))
}

async fn in_time(app: Arc<App>, request: Request, mut record: Record) -> Response<Bytes> {
    let (method, path) = (asked(&request.method), plain(&request.path));
    match ops::answer(&method, path, &app.context.readiness).await {
        Some(Ok(response)) => return response,
        Some(Err(error)) => return record.finish(Err(error)),
        None => {}
    }
    if let Some(answered) = docs::answer(&method, path) {
        return answered.unwrap_or_else(|error| record.finish(Err(error)));
    }
    let limit = REQUEST_TIMEOUT + Prefer::of(&request.headers).asked_wait();
    let hard = app.context.shutdown.hard();
    let work = hard.run_until_cancelled(tokio::time::timeout(limit, serve(&app, request, &mut record)));
    let result = match work.await {
        Some(Ok(result)) => result,
        Some(Err(_)) => Err(ApiError::unavailable("timeout", "the request took too long")),
        None => Err(ApiError::unavailable("stopping", "this process stops")),
    };
    record.finish(result)
}

async fn serve(app: &Arc<App>, request: Request, record: &mut Record) -> Result<Reply, ApiError> {
    let Request { method, path: sent, query: raw, headers, address, upgrade, body } = request;
    let (upgrade, path) = (upgrade.filter(|_| method == Method::GET), plain(&sent));
    let method = asked(&method);
    let (route, params) = app.router.find(&method, path)?;
    record.route = route.path;
    let key = guard::authenticate(app, &headers, address).await?;
    record.guild = Some(key.guild());
    guard::admit(app, (route, &params, &headers), &key, record).await?;
    let query = Query::parse(&raw)?;
    let bytes = if method == Method::GET {
        Bytes::new()
    } else {
        body::read(body, &headers, route.body_limit).await?
    };
    let fields = Fields::parse(&bytes)?;
    guard::check_body_guild(&fields, key.guild())?;
    let call = Call {
        app: app.clone(),
        key,
        request_id: record.request_id.clone(),
        params,
        query,
        fields,
        prefer: Prefer::of(&headers),
        if_none_match: IfNoneMatch::of(&headers),
        idempotency: None,
        upgrade,
        next_page: NextPage::default(),
    };
    let next_page = call.next_page.clone();
    let mut reply = match idempotency::key_of(&headers, route)? {
        Some(name) => idempotency::run(call, route, name, path).await,
        None => (route.handler)(call).await,
    }?;
    reply.next_page = next_page.link(&sent, &raw);
    Ok(reply)
}

/// Where there is a GET there is a HEAD (docs/rules.md 8): the same answer, of which the server sends no body.
fn asked(method: &Method) -> Method {
    if *method == Method::HEAD { Method::GET } else { method.clone() }
}
