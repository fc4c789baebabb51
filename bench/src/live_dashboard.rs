//! Live sockets of dashboards beside a bulk sync: how soon a frame reaches all of them, and whether the sync is slower.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures_util::{StreamExt, TryStreamExt};
use serde_json::json;
use testkit::{Deployment, Guild, Mode, Setup};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::figures::{Figures, float, percentile};
use crate::patient;
use crate::turns::seconds;
use crate::usage::Usage;

/// Of a ban, from its request to its receipt.
const REACHED_WITHIN_MS: f64 = 500.0;
/// The sync beside the sockets, times as long as alone.
const SLOWER_BY: f64 = 1.05;
const LONG: Duration = Duration::from_secs(3 * 60 * 60);
/// The limit is 50 a minute.
const BAN_EVERY: Duration = Duration::from_millis(1_500);
/// Sockets that are opened at a time.
const AT_ONCE: usize = 32;
const COOKIE: &str = "__Host-guildhall";

/// Measure live sockets of dashboards beside a sync of many members
///
/// Exits with 1 if the p99 of a frame's way exceeds 500 ms, or the sync takes more than 1.05 times as long as alone.
#[derive(clap::Args)]
pub struct Arguments {
    /// One process with SQLite, instead of processes with Postgres, RabbitMQ and Redis
    #[arg(long)]
    embedded: bool,
    #[arg(long, default_value_t = 1_000)]
    sockets: usize,
    /// Members of each guild that is synced
    #[arg(long, default_value_t = 100_000)]
    members: usize,
    /// Pairs of syncs: one alone, one beside the sockets
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// The platform answers after this many milliseconds
    #[arg(long, default_value_t = 0)]
    latency_ms: u32,
    /// At the rate that the chat platform permits: 50 changes a second
    #[arg(long)]
    paced: bool,
}

type Socket = WebSocketStream<TcpStream>;

/// What the sockets received.
#[derive(Default)]
struct Receipts {
    /// When each ban was requested, by its target.
    sent: HashMap<String, Instant>,
    /// Milliseconds from then on, of each socket.
    took: Vec<f64>,
    frames: usize,
    closed: usize,
}

type Shared = Arc<Mutex<Receipts>>;

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let files = runtime::raise_file_limit();
    anyhow::ensure!(files > arguments.sockets + 500, "{files} open files are too few; see ulimit -n");
    let sizes = vec![arguments.members; 2 * arguments.rounds];
    let setup = Setup::new(Mode::embedded_if(arguments.embedded)).sizes(&sizes);
    let setup = setup.latency_ms(arguments.latency_ms);
    let setup = if arguments.paced { setup.paced("fast") } else { setup };
    let deployment = Deployment::start(setup).await;
    let (mut figures, mut alone, mut beside) = (Figures::default(), Vec::new(), Vec::new());
    for pair in deployment.fixture.guilds.chunks(2) {
        let [calm, watched] = pair else { continue };
        figures.heading("alone");
        alone.push(synced(&deployment, calm, &figures).await);
        figures.heading(&format!("beside {} sockets", arguments.sockets));
        beside.push(watched_sync(&deployment, watched, arguments.sockets, &mut figures).await?);
    }
    let ratio = percentile(&beside, 50) / percentile(&alone, 50);
    figures.heading("sync");
    figures.at_most("beside the sockets, times as long as alone", ratio, SLOWER_BY);
    Ok(figures.conclude())
}

/// Seconds; bans go on meanwhile, alone and beside the sockets.
async fn synced(deployment: &Deployment, guild: &Guild, figures: &Figures) -> f64 {
    let sent = Shared::default();
    banned_and_synced(deployment, guild, &sent, figures).await
}

async fn banned_and_synced(
    deployment: &Deployment,
    guild: &Guild,
    receipts: &Shared,
    figures: &Figures,
) -> f64 {
    let row = tokio::select! {
        row = deployment.sync_all(guild, LONG) => row,
        () = ban_now_and_then(deployment, guild, receipts) => unreachable!("it has no end"),
    };
    let took = seconds(&row);
    figures.report("sync, seconds", took);
    took
}

async fn watched_sync(
    deployment: &Deployment,
    guild: &Guild,
    sockets: usize,
    figures: &mut Figures,
) -> anyhow::Result<f64> {
    let process = deployment.roles().apis[0].process.id();
    let before = Usage::of(process)?.memory_mib;
    let cookie = sign_in(deployment, guild).await?;
    let opened = Instant::now();
    let browsers = patient::threads()?;
    let base = deployment.api_base(0);
    let opening = (0..sockets).map(move |_| open(base.clone(), guild.id.clone(), cookie.clone()));
    let opening = futures_util::stream::iter(opening.collect::<Vec<_>>()).buffer_unordered(AT_ONCE);
    let open: Vec<Socket> = browsers.spawn(opening.try_collect()).await??;
    figures.report("seconds until all are open", opened.elapsed().as_secs_f64());
    let more = Usage::of(process)?.memory_mib - before;
    figures.report("memory for each socket, KiB", more * 1024.0 / float(sockets));
    let receipts = Shared::default();
    let mut readers = JoinSet::new();
    for socket in open {
        readers.spawn_on(read(socket, receipts.clone()), &browsers);
    }
    let took = banned_and_synced(deployment, guild, &receipts, figures).await;
    // The last frames are on their way.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let receipts = lock(&receipts);
    figures.report("bans", float(receipts.sent.len()));
    figures.report("frames, of all kinds, received by all", float(receipts.frames));
    figures.at_least("of bans received", float(receipts.took.len()), float(receipts.sent.len() * sockets));
    figures.at_most("sockets that were closed", float(receipts.closed), 0.0);
    for percent in [50, 95] {
        figures.report(&format!("ban to frame, p{percent}, ms"), percentile(&receipts.took, percent));
    }
    figures.at_most("ban to frame, p99, ms", percentile(&receipts.took, 99), REACHED_WITHIN_MS);
    Ok(took)
}

fn lock(receipts: &Shared) -> MutexGuard<'_, Receipts> {
    receipts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The cookie of the guild's owner.
pub(crate) async fn sign_in(deployment: &Deployment, guild: &Guild) -> anyhow::Result<String> {
    sign_in_as(deployment, guild, &guild.members[0].chat).await
}

pub(crate) async fn sign_in_as(deployment: &Deployment, guild: &Guild, user: &str) -> anyhow::Result<String> {
    let args = ["console", "link", "--guild", &guild.id, "--user", user];
    let url = deployment.command(&args).await.succeeded();
    let path = &url[url.find("/console/link/").context("no link")?..];
    let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    let request = http.post(format!("{}{}", deployment.api_base(0), path.trim()));
    let answer = request.header("content-type", "application/x-www-form-urlencoded").body("").send().await?;
    let cookies = answer.headers().get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
    let session = cookies.filter_map(|line| line.split(';').next()).find(|pair| pair.starts_with(COOKIE));
    session.map(str::to_owned).context("no session")
}

async fn open(base: String, guild: String, cookie: String) -> anyhow::Result<Socket> {
    let address = base.strip_prefix("http://").context("no address")?;
    let mut request = format!("ws://{address}/ws/guilds/{guild}/live").into_client_request()?;
    request.headers_mut().insert("cookie", cookie.parse()?);
    request.headers_mut().insert("origin", base.parse()?);
    Ok(client_async(request, TcpStream::connect(address).await?).await?.0)
}

/// Requests a ban of another player now and then.
async fn ban_now_and_then(deployment: &Deployment, guild: &Guild, receipts: &Shared) {
    let api = deployment.api_of(guild);
    let mut tick = tokio::time::interval(BAN_EVERY);
    for number in 0_u32.. {
        tick.tick().await;
        let target = (80_000_000 + number).to_string();
        let body = json!({ "identifier": target, "reason": "bench", "moderator_id": guild.members[0].chat });
        lock(receipts).sent.insert(target, Instant::now());
        api.post(&format!("/moderation/{}/play/ban", guild.id), body).await.ok();
    }
}

async fn read(mut socket: Socket, receipts: Shared) {
    const BAN: &str = r#""type":"moderation.ban","data":{"identifier":""#;
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        let now = Instant::now();
        let target = text.split_once(BAN).and_then(|(_, rest)| rest.split('"').next());
        let mut receipts = lock(&receipts);
        receipts.frames += 1;
        let sent = target.and_then(|target| receipts.sent.get(target));
        let took = sent.map(|sent| now.duration_since(*sent).as_secs_f64() * 1_000.0);
        receipts.took.extend(took);
    }
    lock(&receipts).closed += 1;
}
