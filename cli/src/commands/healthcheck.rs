//! `guildhall healthcheck`: whether the process on this machine is ready, for containers, whose image has no other program.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, bail};
use runtime::{ListenArgs, MetricsArgs};
use serde_json::Value;

use crate::output;

const ANSWERS_WITHIN: Duration = Duration::from_secs(3);

/// Asks the process on this machine whether it is ready, at the port of its metrics or, where it has none, of its API.
///
/// Run it with the settings of the process. It fails if the process does not answer, stops, or lacks a dependency that it
/// needs. Prints which.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address and port of /metrics and /health of the process [default: none: the port of the API]. A worker, scheduler or gateway
    /// that sets none is at 127.0.0.1:9090
    #[arg(long, env = MetricsArgs::VARIABLE, value_name = "ADDRESS", value_parser = runtime::parse_address)]
    metrics_listen: Option<SocketAddr>,
    #[command(flatten)]
    listen: ListenArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let address = reachable(args.metrics_listen.map_or_else(|| args.listen.address(), Ok)?);
    // A client with TLS needs a provider, even if it uses plain HTTP only.
    let _already = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().timeout(ANSWERS_WITHIN).no_proxy().build()?;
    let answer = client.get(format!("http://{address}/health/ready")).send().await;
    let answer = answer.with_context(|| format!("no process answers at {address}"))?;
    let is_ready = answer.status().is_success();
    let report: Value =
        answer.json().await.with_context(|| format!("what answers at {address} is not Guildhall"))?;
    let status = report["status"].as_str().unwrap_or("not ready").replace('_', " ");
    let down = report["dependencies"].as_object().into_iter().flatten().filter(|(_, state)| *state != "ok");
    let down: Vec<_> = down.map(|(name, _)| name.as_str()).collect();
    let text = if down.is_empty() { status } else { format!("{status}; down: {}", down.join(", ")) };
    if is_ready { output::print(&text) } else { bail!(text) }
}

/// Whoever listens on all addresses is reached on the loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = if address.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { address.ip() };
    SocketAddr::new(ip, address.port())
}
