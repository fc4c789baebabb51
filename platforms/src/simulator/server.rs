//! The accept loop, and the way of one request: travel, count, fault, credential, limits, answer, travel.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::audit::{self, AuditLog};
use super::faults::Faults;
use super::limits::Limiter;
use super::reply::{Body, Reply};
use super::router::{Input, Matched, Route, Routes, Side};
use super::stats::Stats;
use super::{SimulatorOptions, SimulatorState};

const BODY_CAP: usize = 1 << 20;
/// How long open requests may go on after the shutdown was asked for.
const DRAIN: Duration = Duration::from_secs(2);

pub(super) struct Simulator {
    pub(super) routes: Routes,
    options: SimulatorOptions,
    world: RwLock<SimulatorState>,
    desk: Mutex<Desk>,
}

/// What the control side sees and sets.
#[derive(Default)]
pub(super) struct Desk {
    pub(super) stats: Stats,
    pub(super) faults: Faults,
    pub(super) audit: AuditLog,
    limiter: Limiter,
}

/// Serves until `shutdown`, then lets open requests end (2 s). Errors of single connections are theirs alone.
pub async fn serve(
    listener: TcpListener,
    state: SimulatorState,
    options: SimulatorOptions,
    shutdown: CancellationToken,
) -> std::io::Result<()> {
    let routes = Routes::new().map_err(std::io::Error::other)?;
    let simulator =
        Arc::new(Simulator { routes, options, world: RwLock::new(state), desk: Mutex::default() });
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                connections.spawn(converse(simulator.clone(), stream, shutdown.clone()));
            }
            Err(error) => {
                // Out of file descriptors, most likely: wait for some to come back.
                tracing::warn!(%error, "simulator cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    connections.close();
    let _ = tokio::time::timeout(DRAIN, connections.wait()).await;
    Ok(())
}

async fn converse(simulator: Arc<Simulator>, stream: TcpStream, shutdown: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        // A request that came in takes effect, whether or not its sender lives to hear of it.
        let responding = tokio::spawn(simulator.clone().respond(request));
        async move { responding.await.map_err(std::io::Error::other) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "simulator connection ended");
    }
}

impl Simulator {
    async fn respond(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let (head, body) = request.into_parts();
        match self.routes.find(&head.method, head.uri.path()) {
            Matched::Nothing => Reply::chat_error(404, 0, "404: Not Found").passed_the_platform(),
            Matched::WrongMethod => {
                Reply::chat_error(405, 0, "405: Method Not Allowed").passed_the_platform()
            }
            Matched::Route(route, params) => {
                if route.side != Side::Control {
                    self.travel().await;
                    let guild = params.get("guild").map_or("", String::as_str);
                    self.desk().stats.arrival(route, guild, Instant::now());
                }
                let reply = match Limited::new(body, BODY_CAP).collect().await {
                    Ok(body) => {
                        let query = query(head.uri.query());
                        let reason = audit::reason(&head.headers);
                        let input = Input { params, query, reason, body: body.to_bytes() };
                        self.answer(route, &head.headers, &input).await
                    }
                    Err(_) => Reply::chat_error(413, 0, "Request entity too large"),
                };
                if route.side == Side::Chat { reply.passed_the_platform() } else { reply }
            }
        }
        .into_response()
    }

    async fn answer(&self, route: &Route, headers: &HeaderMap, input: &Input) -> Reply {
        if route.side == Side::Control {
            return (route.answer)(self, input);
        }
        let fault = self.desk().faults.take(route.name);
        let served = fault.as_ref().is_some_and(|fault| fault.served);
        let done = served.then(|| self.serve_platform(route, headers, input));
        if let Some(hang) = fault.as_ref().and_then(|fault| fault.hang) {
            tokio::time::sleep(hang).await;
        }
        let reply = match fault.as_ref().and_then(|fault| fault.reply(route.side)) {
            Some(faulty) => faulty,
            None => done.unwrap_or_else(|| self.serve_platform(route, headers, input)),
        };
        self.desk().stats.served(route, input, reply.status);
        self.travel().await;
        self.desk().stats.answered(route, input.param("guild"), &reply);
        reply
    }

    /// One way between client and platform: half of the latency, and up to all of the jitter.
    async fn travel(&self) {
        let SimulatorOptions { latency, jitter, .. } = &self.options;
        let way = *latency / 2 + jitter.mul_f64(rand::random());
        if !way.is_zero() {
            tokio::time::sleep(way).await;
        }
    }

    fn serve_platform(&self, route: &Route, headers: &HeaderMap, input: &Input) -> Reply {
        let key = match self.options.credentials.check(route.side, headers) {
            Ok(key) => key,
            Err(refused) => return refused,
        };
        let at = (route, input.param("guild"));
        let passed = self.desk().limiter.pass(self.options.rate_limit, at, key, Instant::now());
        let bucket = match passed {
            Ok(bucket) => bucket,
            Err(limited) => return limited,
        };
        let mut reply = match audit::check_reason(input) {
            Ok(()) => (route.answer)(self, input),
            Err(refused) => refused,
        };
        if route.changes_a_guild() && (200..300).contains(&reply.status) {
            self.desk().audit.note(route, input);
        }
        reply.headers.extend(bucket);
        reply
    }

    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn world(&self) -> RwLockReadGuard<'_, SimulatorState> {
        self.world.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn world_mut(&self) -> RwLockWriteGuard<'_, SimulatorState> {
        self.world.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn query(raw: Option<&str>) -> HashMap<String, String> {
    let Some(raw) = raw else { return HashMap::new() };
    match reqwest::Url::parse(&format!("http://simulator/?{raw}")) {
        Ok(url) => url.query_pairs().into_owned().collect(),
        Err(_) => HashMap::new(),
    }
}
