//! The parts every process consists of, and how a process starts and stops.

mod args;
pub(crate) mod credentials;
mod measure;
pub(crate) mod wait;

use std::time::Duration;

use anyhow::{Context as _, bail};
use platforms::{FollowPace, Platforms};
use queue::run::Slots;
use queue::{Broker, Queue};
use runtime::telemetry::traces;
use runtime::{
    Config, Context, HttpArgs, MetricsArgs, PlatformArgs, Redis, Shutdown, StartError, bind, serve_ops,
    service_manager,
};
use tokio::net::TcpListener;

pub(crate) use args::{BackendArgs, BackgroundArgs, ChatEvents, EventArgs, SlotArgs};
pub(crate) use wait::WaitArgs;

use crate::schema;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A process before its loops start.
pub(crate) struct Process {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    pub(crate) platforms: Platforms,
}

impl Process {
    /// A single process that does everything; it migrates its schema.
    pub(crate) async fn embedded(
        config: &Config,
        platforms: &PlatformArgs,
        shutdown: Shutdown,
    ) -> anyhow::Result<Self> {
        let platforms = clients(platforms, None)?;
        let changes = schema::migrate(config).await?;
        if !changes.is_empty() {
            tracing::info!(changes = changes.join(", "), "brought the schema up to date");
        }
        runtime::start_metrics(&shutdown);
        let context = Context::embedded(config, shutdown).await?;
        context.follow_changes(config).await?;
        // The file may be another than at the last run: a restored one.
        entities::epoch::begin(context.database.write()).await?;
        let queue = Queue::embedded(&context);
        // The database belongs to this process alone, so jobs recorded as running are not running.
        let rescued = queue.rescue_all().await.context("cannot rescue the jobs of the last run")?;
        if rescued > 0 {
            tracing::info!(jobs = rescued, "rescued the jobs of the last run");
        }
        Ok(Self { context, queue, platforms })
    }

    /// One process of a distributed deployment, and its port, which is bound before servers are contacted.
    pub(crate) async fn distributed(
        mode: &'static str,
        listener: impl Future<Output = Result<TcpListener, StartError>>,
        backend: &BackendArgs,
        wait: WaitArgs,
        shutdown: Shutdown,
    ) -> anyhow::Result<(Self, TcpListener)> {
        let config = Config::distributed(&backend.database, &backend.broker)?;
        let listener = listener.await?;
        backend.platforms.checked()?;
        runtime::start_metrics(&shutdown);
        let connect = async || {
            schema::require_usable(&config).await?;
            Ok(Context::distributed(&config, shutdown.clone()).await?)
        };
        let context = wait.until_up(&shutdown, wait::log, connect).await?;
        let Some(amqp_url) = context.amqp_url.clone() else {
            return Err(StartError::Contradiction("this process needs RabbitMQ".to_owned()).into());
        };
        match Broker::check(amqp_url.expose()).await {
            // It may arrive later: until then jobs go on, a second slower.
            Ok(()) | Err(StartError::Unreachable { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        context.follow_changes(&config).await?;
        let queue = Queue::distributed(&context, amqp_url.expose(), &context.prefix);
        let platforms = clients(&backend.platforms, context.redis.as_ref())?;
        log_start(mode, &listener, &config)?;
        Ok((Self { context, queue, platforms }, listener))
    }

    /// Runs worker, scheduler, gateway and API in this process; returns after the shutdown.
    pub(crate) async fn run_all(
        self,
        slots: Slots,
        events: ChatEvents,
        listener: TcpListener,
        options: api::Options,
    ) {
        let Self { context, queue, platforms } = self;
        let service = api::Service::new(context.clone(), queue.clone(), platforms.clone(), options.clone());
        credentials::check(&platforms, &context.shutdown);
        if events == ChatEvents::On || platforms.interaction_key.is_some() {
            credentials::register_commands(&platforms, &context.shutdown);
        }
        worker::start(&queue, platforms.clone(), options.public_url.clone(), slots);
        let follows = platforms.follow_pace != FollowPace::Off;
        scheduler::start(&context, &queue, scheduler::Options { alone: true, follows });
        if events == ChatEvents::On {
            let chat = platforms.interaction_key.is_none().then(|| service.chat_commands());
            gateway::start(&context, &queue, &platforms, chat, true);
        }
        service_manager::started(&context.shutdown);
        service.serve(listener).await;
    }
}

impl BackgroundArgs {
    /// Runs a distributed process whose loops `start` spawns, until it is stopped.
    pub(crate) async fn run(&self, mode: &'static str, start: impl FnOnce(&Process)) -> anyhow::Result<()> {
        self.metrics.address()?;
        let shutdown = Shutdown::on_signals(Duration::ZERO);
        let (process, listener) =
            Process::distributed(mode, self.metrics.bind(), &self.backend, self.wait, shutdown).await?;
        spawn_metrics(listener, &process.context, &process.platforms);
        start(&process);
        service_manager::started(&process.context.shutdown);
        process.context.shutdown.soft().cancelled().await;
        finish(process.context).await
    }
}

/// The port of health and metrics of a process that serves the API.
pub(crate) async fn bind_metrics(args: &HttpArgs) -> Result<Option<TcpListener>, StartError> {
    match args.metrics_address()? {
        Some(address) => bind(address, MetricsArgs::VARIABLE).await.map(Some),
        None => Ok(None),
    }
}

/// Serves health and metrics there.
pub(crate) fn serve_metrics(listener: Option<TcpListener>, context: &Context, platforms: &Platforms) {
    let Some(listener) = listener else { return };
    if let Ok(listen) = listener.local_addr() {
        tracing::info!(%listen, "serving health and metrics");
    }
    spawn_metrics(listener, context, platforms);
}

fn spawn_metrics(listener: TcpListener, context: &Context, platforms: &Platforms) {
    let (readiness, shutdown) = (context.readiness.clone(), context.shutdown.clone());
    let measure = measure::measure(context, platforms, VERSION);
    context.shutdown.services().spawn(serve_ops(listener, readiness, measure, shutdown));
}

fn clients(args: &PlatformArgs, redis: Option<&Redis>) -> anyhow::Result<Platforms> {
    let config = args.checked()?;
    for variable in config.without_tls() {
        tracing::warn!(
            variable,
            "this platform is reached over a network without TLS, with the credential in the clear"
        );
    }
    Platforms::new(&config, redis).context("cannot set up the platform clients")
}

pub(crate) fn log_start(mode: &str, listener: &TcpListener, config: &Config) -> std::io::Result<()> {
    let (listen, database) = (listener.local_addr()?, database_name(config));
    tracing::info!(version = VERSION, mode, %listen, database, "process started");
    for variable in config.without_tls() {
        tracing::warn!(variable, "the server of this URL is reached over a network without TLS");
    }
    Ok(())
}

pub(crate) async fn finish(context: Context) -> anyhow::Result<()> {
    let shutdown = context.shutdown.clone();
    context.close().await;
    traces::flush().await;
    if shutdown.has_given_up() {
        bail!("the process was stopped because a job blocked one of its threads; the log names the job");
    }
    tracing::info!("process stopped");
    Ok(())
}

pub(crate) fn api_options(args: HttpArgs, distributed: bool) -> api::Options {
    let access_log = args.access_log;
    let cors_origins = args.cors_origins.0.into_iter().map(|origin| origin.0).collect();
    let public_url = args.public_url.map(|origin| origin.0);
    api::Options {
        distributed,
        trusted_proxies: args.trusted_proxies.0,
        cors_origins,
        max_hot_path_factor: args.max_hot_path_factor,
        public_url,
        link_command: None,
        access_log,
    }
}

/// The database as logs show it: its kind, and the path of a file.
pub(crate) fn database_name(config: &Config) -> String {
    match config.sqlite_file() {
        Ok(Some(file)) => format!("SQLite {}", file.display()),
        _ => "Postgres".to_owned(),
    }
}
