//! `guildhall demo`: syncs a community of 500 on simulated platforms, checks each member, syncs again, makes some members
//! wrong for the visitor's own sync, or lets the community live, and then serves, with game servers that send heartbeats. It needs
//! no other server.

mod community;
mod drift;
mod environment;
mod examples;
mod expected;
mod http_client;
mod life;
mod progress;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use chat_commands::INTERACTIONS_PATH;
use entities::JobId;
use entities::audit_entry::Actor;
use jobs::bulk_sync::SyncAll;
use queue::{Draft, Queue};
use runtime::{Context, ListenArgs, Shutdown, UnitOfWork, bind};
use serde_json::{Value, json};

use self::community::GameServers;
use self::environment::Environment;
use crate::commands::simulate::{LIFE_RATE, MAX_LIFE_RATE};
use crate::output;
use crate::process::{ChatEvents, VERSION};

/// The dedupe key of all bulk syncs of a guild, which allows one at a time.
const DEDUPE_KEY: &str = "all";

/// Try Guildhall without a server, an account or any setting.
///
/// A simulated community of 500, 200 of them with wrong roles or nicknames, is synced at 50 chat requests a second, checked,
/// and synced again. Then a few members get wrong roles, and the console and the API run until Ctrl-C, with staff, bans and
/// game servers to look at: preview the sync in the console and run it.
///
/// With `--life` no member gets wrong roles by hand. Instead the community lives after the checks: members join, leave, are promoted
/// and renamed, and others change roles and nicknames, while Guildhall reads the events and starts a pass each minute.
///
/// The simulator applies only the global rate limit of the chat platform (`--rate-limit fast`). The real platform also limits
/// each guild to about one change of a member a second for each kind of call, so that the same sync takes minutes there.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    listen: ListenArgs,
    /// Folder for the data of the demo only [default: a temporary one, removed at the end]
    #[arg(long, env = "GUILDHALL_DEMO_DATA_DIR", value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// Stop after the second sync instead of serving; fail if a member is wrong
    #[arg(long, env = "GUILDHALL_DEMO_EXIT")]
    exit: bool,
    /// Changes an hour that happen by themselves while the demo serves; without a number 360, one in ten seconds [default: none]
    #[arg(long, env = "GUILDHALL_DEMO_LIFE", value_name = "RATE", num_args = 0..=1, default_missing_value = LIFE_RATE, conflicts_with = "exit", value_parser = clap::value_parser!(u32).range(1..=MAX_LIFE_RATE))]
    life: Option<u32>,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let shutdown = Shutdown::on_signals(std::time::Duration::ZERO);
    let listener = bind(args.listen.address()?, ListenArgs::VARIABLE).await?;
    let api = http_client::local_url(listener.local_addr()?);
    let (env, process) = Environment::prepare(args.data_dir, args.life.is_some(), api, &shutdown).await?;
    let (context, queue, platforms) =
        (process.context.clone(), process.queue.clone(), process.platforms.clone());
    let options = api::Options {
        link_command: Some(env.link_command()),
        public_url: Some(env.api.base.clone()),
        ..api::Options::default()
    };
    // The checks come first, and what is made wrong by hand waits for the reader.
    let events = ChatEvents::Off;
    let serving = tokio::spawn(process.run_all(queue::run::Slots::default(), events, listener, options));
    let then = if args.exit { Then::Stop } else { args.life.map_or(Then::Serve, Then::Live) };
    let begin = async {
        let servers = show(&env, &context, &queue, then).await?;
        if let Then::Live(rate) = then {
            // Commands come by HTTP.
            gateway::start(&context, &queue, &platforms, None, true);
            life::begin(&env, rate).await?;
        }
        Ok(servers)
    };
    let shown = tokio::select! {
        shown = begin => shown,
        () = shutdown.soft().cancelled() => Ok(None),
    };
    if let Ok(Some(servers)) = &shown {
        tokio::select! {
            () = servers.stay() => {}
            () = shutdown.soft().cancelled() => output::note("stopping"),
        }
    }
    shutdown.begin();
    serving.await.context("the API failed")?;
    context.close().await;
    shown.map(drop)
}

/// What the demo does after the checks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Stop,
    Serve,
    /// With so many changes an hour.
    Live(u32),
}

/// Returns the game servers of the community, unless the demo ends now.
async fn show<'e>(
    env: &'e Environment,
    context: &Context,
    queue: &Queue,
    then: Then,
) -> anyhow::Result<Option<GameServers<'e>>> {
    introduce(env)?;
    let (before, members) = (env.expected.count_wrong(&env.simulator).await?, env.expected.members.len());
    output::print(&format!(
        "before: {before} of {members} members have wrong roles or nicknames\n\
         now two syncs of all of them; the API allows one an hour, which is left to you"
    ))?;
    let changed = sync(env, context, queue).await?;
    let wrong = env.expected.count_wrong(&env.simulator).await?;
    output::print(&format!("first sync: {changed} changed, {wrong} wrong afterwards"))?;
    ensure!(
        wrong == 0 && changed == before,
        "the first sync should have changed exactly the {before} members that were wrong"
    );
    match sync(env, context, queue).await? {
        0 => output::print("second sync changed none")?,
        again => bail!("the second sync changed {again} members; it should have changed none"),
    }
    report(env, before).await?;
    let mut servers = None;
    match then {
        Then::Stop => {}
        Then::Serve => {
            let wrong = drift::make(env).await?;
            let preview = SyncAll { dry_run: true, ..SyncAll::of(env.expected.guild) };
            let found = ended(env, enqueue(env, context, queue, &preview).await?).await?;
            ensure!(
                found["planned"] == json!(wrong),
                "the preview should have found {wrong} members: {found}"
            );
            output::print(&format!(
                "then {wrong} members were made wrong by hand, and a preview found them: run the sync in the console"
            ))?;
        }
        Then::Live(rate) => life::announce(env, rate)?,
    }
    if then != Then::Stop {
        servers = Some(GameServers::open(&env.api, &env.expected).await?);
        let endpoint = json!({ "interactions_endpoint_url": format!("{}{INTERACTIONS_PATH}", env.api.base) });
        env.simulator.post("/control/application", &endpoint).await?;
        let game = json!({ "api_url": env.api.base, "key": env.key.reveal() });
        env.simulator.post("/control/game", &game).await?;
    }
    output::print(&examples::lines(env, then == Then::Stop))?;
    Ok(servers)
}

fn introduce(env: &Environment) -> anyhow::Result<()> {
    output::print(&format!(
        "Guildhall {VERSION}, demo: all in one process, on simulated platforms\n\
         API        {}\n\
         simulator  {} (50 chat requests a second, no limits per route)\n\
         data       {}\n",
        env.api.base,
        env.simulator.base,
        env.folder_name(),
    ))
}

/// Runs a bulk sync to its end and returns how many members it changed.
async fn sync(env: &Environment, context: &Context, queue: &Queue) -> anyhow::Result<u64> {
    let started = Instant::now();
    let job = enqueue(env, context, queue, &SyncAll::of(env.expected.guild)).await?;
    let result = ended(env, job).await?;
    let changed = result["updated"].as_u64().context("the job's result does not say what changed")?;
    output::print(&format!("job {job} succeeded after {:.1} s", started.elapsed().as_secs_f64()))?;
    Ok(changed)
}

/// The result of a job that succeeds.
async fn ended(env: &Environment, job: JobId) -> anyhow::Result<Value> {
    let mut ended = progress::follow(&env.api, job).await?;
    if ended["state"] != "succeeded" {
        bail!("job {job} ended as {}: {}", ended["state"], ended["error"]);
    }
    Ok(ended["result"].take())
}

async fn enqueue(
    env: &Environment,
    context: &Context,
    queue: &Queue,
    payload: &SyncAll,
) -> anyhow::Result<JobId> {
    let guild = env.expected.guild;
    let total = i64::try_from(env.expected.members.len())?;
    let mut work = UnitOfWork::begin(context).await?;
    let draft = Draft::new(guild, payload, Actor::service())?.once(DEDUPE_KEY).total(total);
    let enqueued = draft.enqueue(&mut work).await?;
    queue.publish(work.commit().await?);
    Ok(enqueued.job)
}

/// Compares the simulator's counts with the number of changed members.
async fn report(env: &Environment, changed: u64) -> anyhow::Result<()> {
    let stats = env.simulator.get("/control/stats").await?;
    let number = |name: &str| stats[name].as_u64().unwrap_or_default();
    let (updates, pages, most) = (number("member_updates"), number("page_calls"), number("max_per_second"));
    output::print(&format!(
        "simulator: {updates} member updates, {pages} page calls in two syncs, at most {most} chat requests in any second, \
         {} rate limited",
        number("rate_limited")
    ))?;
    ensure!(updates == changed, "{updates} member updates for {changed} changed members");
    Ok(())
}
