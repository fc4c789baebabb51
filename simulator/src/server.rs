//! The accept loop, and the stages of one request: latency, count, fault, credential, limits, response, latency.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{Request, Response};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::audit;
use crate::faults::Fault;
use crate::handler::Endpoint;
use crate::life::driver;
use crate::limits::LimitedRequest;
use crate::options::SimulatorOptions;
use crate::pairs::pairs;
use crate::reply::{Body, Reply};
use crate::route::{Input, Side, authorization, bucket_key};
use crate::router::{Matched, Routes};
use crate::simulator::Simulator;
use crate::state::SimulatorState;
use crate::stream::socket;

const BODY_CAP: usize = 1 << 20;
/// Grace period for open requests after a shutdown request.
const DRAIN: Duration = Duration::from_secs(2);

struct Server {
    routes: Routes,
    simulator: Arc<Simulator>,
    shutdown: CancellationToken,
}

/// Serves until `shutdown`, then lets open requests end (2 s). Errors of one connection do not affect others.
pub async fn serve(
    listener: TcpListener,
    state: SimulatorState,
    options: SimulatorOptions,
    shutdown: CancellationToken,
) -> std::io::Result<()> {
    let routes = Routes::new().map_err(std::io::Error::other)?;
    let simulator = Arc::new(Simulator::new(options, routes.platform_names().collect(), state));
    let server = Arc::new(Server { routes, simulator, shutdown: shutdown.clone() });
    let connections = TaskTracker::new();
    connections.spawn(driver::live(server.simulator.clone(), shutdown.clone()));
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                connections.spawn(serve_connection(server.clone(), stream, shutdown.clone()));
            }
            Err(error) => {
                // Probably out of file descriptors: wait for some to be freed.
                tracing::warn!(%error, "simulator cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    connections.close();
    let _ = tokio::time::timeout(DRAIN, connections.wait()).await;
    Ok(())
}

async fn serve_connection(server: Arc<Server>, stream: TcpStream, shutdown: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        // A received request takes effect, even if its sender disconnects.
        let responding = tokio::spawn(server.clone().respond(request));
        async move { responding.await.map_err(std::io::Error::other) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades();
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

impl Server {
    async fn respond(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        if request.uri().path().trim_end_matches('/') == socket::PATH {
            return socket::accept(&self.simulator, request, &self.shutdown);
        }
        let (head, body) = request.into_parts();
        let bearer = authorization(&head.headers, "Bearer").is_some();
        match self.routes.find(&head.method, head.uri.path(), bearer) {
            Matched::Nothing => Reply::chat_error(404, 0, "404: Not Found").passed_the_platform(),
            Matched::WrongMethod => {
                Reply::chat_error(405, 0, "405: Method Not Allowed").passed_the_platform()
            }
            Matched::Found(endpoint, params) => {
                let route = &endpoint.route;
                if route.side != Side::Control {
                    self.delay().await;
                    self.simulator.records().stats.arrival(route, bucket_key(&params), Instant::now());
                }
                let reply = match Limited::new(body, BODY_CAP).collect().await {
                    Ok(body) => {
                        let query = pairs(head.uri.query().unwrap_or_default());
                        let reason = audit::reason(&head.headers);
                        let (headers, body) = (head.headers, body.to_bytes());
                        let input = Input { params, query, headers, reason, body, flaw: None };
                        self.answer(endpoint, input).await
                    }
                    Err(_) => Reply::chat_error(413, 0, "Request entity too large"),
                };
                if route.side.is_chat_platform() { reply.passed_the_platform() } else { reply }
            }
        }
        .into_response()
    }

    async fn answer(&self, endpoint: &Endpoint, mut input: Input) -> Reply {
        let route = &endpoint.route;
        if route.side == Side::Control {
            return endpoint.handler.serve(&self.simulator, &input).await;
        }
        let fault = self.simulator.records().faults.take(route.name, input.param("guild").parse().ok());
        input.flaw = fault.as_ref().and_then(|fault| fault.flaw);
        let served = fault.as_ref().is_some_and(|fault| fault.served);
        let done = if served { Some(self.serve_platform(endpoint, &input).await) } else { None };
        if let Some(hang) = fault.as_ref().and_then(Fault::hang) {
            tokio::time::sleep(hang).await;
        }
        let reply = match (fault.as_ref().and_then(|fault| fault.reply(route.side)), done) {
            (Some(faulty), _) => faulty,
            (None, Some(done)) => done,
            (None, None) => self.serve_platform(endpoint, &input).await,
        };
        self.simulator.records().stats.served(route, &input, reply.status);
        self.delay().await;
        self.simulator.records().stats.answered(route, bucket_key(&input.params), &reply);
        reply
    }

    /// One way between client and platform: half of the latency, and up to all of the jitter.
    async fn delay(&self) {
        let SimulatorOptions { latency, jitter, .. } = &self.simulator.options;
        let way = *latency / 2 + jitter.mul_f64(rand::random());
        if !way.is_zero() {
            tokio::time::sleep(way).await;
        }
    }

    async fn serve_platform(&self, endpoint: &Endpoint, input: &Input) -> Reply {
        let route = &endpoint.route;
        let key = match self.simulator.options.credentials.check(route.side, &input.headers) {
            Ok(key) => key,
            Err(refused) => return refused,
        };
        let request = LimitedRequest { route, guild: bucket_key(&input.params), key };
        let profile = self.simulator.options.rate_limit;
        let passed = self.simulator.records().limiter.pass(profile, &request, Instant::now());
        let bucket = match passed {
            Ok(bucket) => bucket,
            Err(limited) => return limited,
        };
        let mut reply = match audit::check_reason(input) {
            Ok(()) => endpoint.handler.serve(&self.simulator, input).await,
            Err(refused) => refused,
        };
        if route.changes_a_guild() && (200..300).contains(&reply.status) {
            self.simulator.records().audit.note(route, input);
        }
        reply.headers.extend(bucket);
        reply
    }
}
