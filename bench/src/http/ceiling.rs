//! The ceiling: bare warp with a constant answer.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use testkit::{Process, http_client};
use tokio::net::TcpListener;
use warp::Filter;
use warp::http::header::CONTENT_TYPE;

use crate::connection::Connection;

/// Serve the ceiling; started by `http`
#[derive(clap::Args)]
pub struct CeilingArguments {
    /// File with the body of every answer
    body: std::path::PathBuf,
    status: u16,
    listen: SocketAddr,
}

pub async fn serve_ceiling(arguments: &CeilingArguments) -> anyhow::Result<()> {
    let body = bytes::Bytes::from(std::fs::read(&arguments.body)?);
    let status = warp::http::StatusCode::from_u16(arguments.status)?;
    let answer = warp::any().map(move || {
        let answer = warp::reply::Response::new(body.clone().into());
        warp::reply::with_header(warp::reply::with_status(answer, status), CONTENT_TYPE, "application/json")
    });
    let (service, listener) = (warp::service(answer), TcpListener::bind(arguments.listen).await?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(service.clone());
        // Until its client leaves, or breaks it.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

pub(crate) struct Ceiling {
    pub(crate) process: Process,
    pub(crate) base: String,
}

impl Ceiling {
    /// Answers what the product answers to this request.
    pub(crate) async fn start(folder: &Path, product: &str, request: &str) -> anyhow::Result<Self> {
        let (status, body) = Connection::open(product).await?.ask(request).await?;
        anyhow::ensure!(status.starts_with('2'), "the request of the ceiling is answered {status}");
        let file = folder.join("ceiling.json");
        std::fs::write(&file, body)?;
        let listen = testkit::free_address();
        let file = file.to_str().context("a path that is no text")?.to_owned();
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["http-ceiling", &file, &status, &listen]);
        let process = Process::spawn_command("ceiling", command, folder);
        let base = format!("http://{listen}");
        let reachable = async || http_client().get(&base).send().await.ok().map(drop);
        testkit::eventually("the ceiling answers", Duration::from_secs(10), reachable).await;
        Ok(Self { process, base })
    }
}
