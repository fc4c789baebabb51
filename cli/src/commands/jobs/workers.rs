//! `guildhall jobs workers`: the processes that run jobs.

use entities::job::time;
use entities::worker::{self, Listed};
use serde_json::json;

use crate::duration;
use crate::format::FormatArgs;
use crate::operator::OperatorArgs;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct WorkersArgs {
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) async fn run(args: WorkersArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let now = time::read(context.database.read(), context.clock.now()).await?;
    let workers = worker::list(context.database.read()).await?;
    context.close().await;
    let table = || {
        let rows = workers.iter().map(|Listed { worker, running }| {
            let heartbeat = format!("{} ago", duration::approximate(now - worker.heartbeat_at));
            let (slots, started) = (slots(&worker.slots), output::time(worker.started_at));
            [worker.name.clone(), worker.version.clone(), running.to_string(), slots, started, heartbeat]
        });
        output::table(["worker", "version", "running", "slots", "started", "last heartbeat"], rows)
    };
    args.format.print(|| workers.iter().map(record).collect(), table)
}

fn record(Listed { worker, running }: &Listed) -> serde_json::Value {
    json!({
        "worker": worker.name,
        "host": worker.host,
        "version": worker.version,
        "slots": worker.slots,
        "running": running,
        "started_at": output::time(worker.started_at),
        "heartbeat_at": output::time(worker.heartbeat_at),
    })
}

/// `bulk 32, default 8, interactive 16`, without the classes that it does not run.
fn slots(slots: &serde_json::Value) -> String {
    let of = slots.as_object().into_iter().flatten();
    let named =
        of.filter(|(_, count)| count.as_u64() != Some(0)).map(|(class, count)| format!("{class} {count}"));
    named.collect::<Vec<_>>().join(", ")
}
