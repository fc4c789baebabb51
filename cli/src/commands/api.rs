//! `guildhall api`: answers HTTP. Any number of them run behind a load balancer.

use runtime::{HttpArgs, ListenArgs, OtlpArgs, Shutdown, bind, service_manager};

use crate::process::{self, BackendArgs, Process, WaitArgs, credentials};

/// An API process: answers HTTP and hands jobs to the workers.
///
/// Needs Postgres (with the schema of `guildhall migrate`), RabbitMQ and Redis. /health is on the port of the API.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    http: HttpArgs,
    #[command(flatten)]
    backend: BackendArgs,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    pub(super) otlp: OtlpArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let address = args.listen.address()?;
    let shutdown = Shutdown::on_signals(args.http.stop_notice());
    let metrics = process::bind_metrics(&args.http).await?;
    let (process, listener) =
        Process::distributed("api", bind(address, ListenArgs::VARIABLE), &args.backend, args.wait, shutdown)
            .await?;
    let Process { context, queue, platforms } = process;
    process::serve_metrics(metrics, &context, &platforms);
    if platforms.interaction_key.is_some() {
        credentials::register_commands(&platforms, &context.shutdown);
    }
    let options = process::api_options(args.http, true);
    service_manager::started(&context.shutdown);
    api::Service::new(context.clone(), queue, platforms, options).serve(listener).await;
    process::finish(context).await
}
