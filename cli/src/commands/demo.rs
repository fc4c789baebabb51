//! `guildhall demo`: the main job on real wire formats, with nothing else at hand. A community of 500 on simulated
//! platforms is synced through the API, checked member by member, synced again, then served.

mod paste;
mod peer;
mod progress;
mod stage;
mod wanted;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use entities::JobId;
use entities::audit_entry::Actor;
use queue::kinds::SyncAll;
use queue::{Draft, Queue};
use runtime::{Context, ListenArgs, Shutdown, bind};
use serde_json::json;

use self::stage::Stage;
use super::serve;
use crate::output;
use crate::process::VERSION;

/// Bulk syncs of a guild share this key: at most one at a time, whoever asks.
const ONCE: &str = "all";
/// How the address is set, as the error for a taken port names it.
const LISTEN: &str = "--listen (GUILDHALL_LISTEN)";

/// See Guildhall work: needs no server, no account and no answer to any question.
///
/// A simulated community of 500, 200 of them with wrong roles or nicknames, is synced through the API at 50 chat requests a
/// second, checked, and synced again. Then it is served until Ctrl-C, with a key and lines to paste.
///
/// The simulator keeps the chat platform's global limit only (`--rate-limit fast`). The real platform also limits each
/// guild, to about one change of a member a second for each kind of call, so there the same sync takes minutes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    listen: ListenArgs,
    /// Folder of its own to keep the data in [default: a temporary one, removed at the end]
    #[arg(long, env = "GUILDHALL_DEMO_DATA_DIR", value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// Stop after the demonstration instead of serving on; an error unless all went as promised
    #[arg(long, env = "GUILDHALL_DEMO_EXIT")]
    exit: bool,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let shutdown = Shutdown::on_signals();
    let listener = bind(args.listen.address()?, LISTEN).await?;
    let api = peer::local_url(listener.local_addr()?);
    let (stage, process) = Stage::set(args.data_dir, api, &shutdown).await?;
    let (context, queue) = (process.context.clone(), process.queue.clone());
    let serving = tokio::spawn(serve::start(
        process,
        queue::run::Slots::default(),
        (listener, api::Options::default()),
    ));
    let shown = tokio::select! {
        shown = show(&stage, &context, &queue) => shown.and_then(|()| output::print(&paste::lines(&stage, args.exit))),
        () = shutdown.soft().cancelled() => Ok(()),
    };
    if shown.is_ok() && !args.exit {
        shutdown.soft().cancelled().await;
        output::note("stopping");
    }
    shutdown.begin();
    serving.await.context("the API ended badly")?;
    context.close().await;
    shown
}

/// The whole story, as the README tells it.
async fn show(stage: &Stage, context: &Context, queue: &Queue) -> anyhow::Result<()> {
    introduce(stage)?;
    let before = stage.wanted.count_wrong(&stage.simulator).await?;
    output::print(&format!(
        "before: {before} of {} members have wrong roles or nicknames",
        stage.wanted.members()
    ))?;

    let asked = stage.api.post("/interactions/sync/all", &json!({ "guild_id": stage.wanted.guild })).await?;
    let job =
        asked["data"]["job_id"].as_str().and_then(|id| id.parse().ok()).context("sync/all named no job")?;
    let changed = follow(stage, job).await?;
    let wrong = stage.wanted.count_wrong(&stage.simulator).await?;
    output::print(&format!("first sync: {changed} changed, {wrong} wrong afterwards"))?;
    ensure!(
        wrong == 0 && changed == before,
        "the sync did not do what it should: {before} members were wrong before it"
    );

    output::print(
        "a second sync, put into the queue directly: POST /interactions/sync/all takes one call an hour",
    )?;
    let again = follow(stage, enqueue(stage, context, queue).await?).await?;
    match again {
        0 => output::print("second sync changed none")?,
        again => bail!("the second sync changed {again} members, and should have changed none"),
    }
    report(stage, before).await
}

fn introduce(stage: &Stage) -> anyhow::Result<()> {
    output::print(&format!(
        "Guildhall {VERSION}, demo: everything in this one process, on simulated platforms\n\
         API        {}\n\
         simulator  {} (limits `fast`: 50 chat requests a second, no buckets)\n\
         data       {}\n",
        stage.api.base,
        stage.simulator.base,
        stage.folder_name(),
    ))
}

/// Follows a bulk sync to its end and returns how many members it changed.
async fn follow(stage: &Stage, job: JobId) -> anyhow::Result<u64> {
    let begun = Instant::now();
    let ended = progress::follow(&stage.api, job).await?;
    let end = ended["state"].as_str().unwrap_or("unknown");
    if end != "succeeded" {
        bail!("job {job} ended as {end}: {}", ended["error"]);
    }
    let changed =
        ended["result"]["updated"].as_u64().context("the job's result does not say what changed")?;
    output::print(&format!("job {job} {end} after {:.1} s", begun.elapsed().as_secs_f64()))?;
    Ok(changed)
}

async fn enqueue(stage: &Stage, context: &Context, queue: &Queue) -> anyhow::Result<JobId> {
    let guild = stage.wanted.guild;
    let total = i64::try_from(stage.wanted.members())?;
    let payload = SyncAll { guild, dry_run: false, max_removals: None };
    let transaction = context.database.begin().await?;
    let draft = Draft::new(guild, &payload, Actor::service())?.once(ONCE).total(total);
    let enqueued = draft.enqueue(&transaction, context.clock.now()).await?;
    transaction.commit().await?;
    queue.publish(enqueued.ticket);
    Ok(enqueued.job)
}

/// What the simulator counted, compared with what was promised.
async fn report(stage: &Stage, changed: u64) -> anyhow::Result<()> {
    let stats = stage.simulator.get("/control/stats").await?;
    let number = |name: &str| stats[name].as_u64().unwrap_or_default();
    let (updates, pages, most) = (number("member_updates"), number("page_calls"), number("max_per_second"));
    output::print(&format!(
        "simulator: {updates} member updates, {pages} page calls in two syncs, at most {most} chat requests in any second, \
         {} refused for their rate",
        number("rate_limited")
    ))?;
    ensure!(updates == changed, "{updates} member updates for {changed} changed members");
    Ok(())
}
