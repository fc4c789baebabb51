//! The removal of a large guild while other guilds ban, and while a worker is killed.

use std::time::{Duration, Instant};

use entities::sanction;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use testkit::{Deployment, Mode, Setup, eventually};

use crate::figures::{Figures, float, percentile};
use crate::recovery::killed;

/// Measure how the removal of a guild with a million rows affects others
///
/// Bans of another guild are sent one after the other, each for some seconds, before and during the removal; a worker
/// with running jobs is killed as it begins. Exits with 1 if a ban fails, the 99th percentile of bans more than doubles, a
/// ban is closed more than a minute after its end, or a killed worker's jobs do not run elsewhere within 20 s.
///
/// Uses the servers of deploy/services and the `guildhall` beside this program.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Rows of the guild
    #[arg(long, default_value_t = 1_000_000)]
    rows: usize,
    /// Bans that are measured before the removal
    #[arg(long, default_value_t = 400)]
    idle: usize,
    /// Measure one process with SQLite instead; no worker is killed
    #[arg(long)]
    embedded: bool,
}

/// A game server bans this often.
const PAUSE: Duration = Duration::from_millis(50);
/// Each may write 50 times a minute.
const KEYS: usize = 30;
/// How long a ban lasts.
const SECONDS: i64 = 2;
const CLOSED_WITHIN: f64 = 60.0;
const CLAIMED_WITHIN: f64 = 20.0;
const MEMBERS: usize = 40;

pub async fn run(arguments: &Arguments) -> bool {
    let setup = Setup::new(Mode::embedded_if(arguments.embedded)).sizes(&[MEMBERS; 3]).latency_ms(500);
    let deployment = Deployment::start(setup.processes(2)).await;
    fill(&deployment, arguments.rows).await;
    let mut keys = Vec::new();
    for _ in 0..KEYS {
        keys.push(deployment.new_key("moderation").await);
    }
    let (mut figures, mut bans) = (Figures::default(), Bans { deployment: &deployment, keys, sent: 0 });
    figures.heading("idle");
    let mut idle = Vec::new();
    for _ in 0..arguments.idle {
        idle.push(bans.ban().await);
    }
    report(&mut figures, &idle, None);
    figures.heading("while the guild is removed");
    let (mut during, began) = (Vec::new(), Instant::now());
    let ask = async {
        loop {
            during.push(bans.ban().await);
        }
    };
    let remove = async {
        let guild = &deployment.fixture.guilds[2];
        let command = ["guilds", "remove", &guild.id, "--yes"];
        let removal = deployment.command(&command);
        if arguments.embedded {
            return (removal.await, Vec::new());
        }
        tokio::join!(removal, killed(&deployment, &deployment.fixture.guilds[..2], 0..12))
    };
    let took = tokio::select! {
        (removal, took) = remove => {
            removal.succeeded();
            took
        }
        never = ask => never,
    };
    figures.report("removal, s", began.elapsed().as_secs_f64());
    report(&mut figures, &during, Some(&idle));
    if !arguments.embedded {
        figures.report("jobs of the killed worker", float(took.len()));
        figures.at_most("run again after, s, most", percentile(&took, 100), CLAIMED_WITHIN);
    }
    closed(&deployment, &mut figures).await;
    figures.conclude()
}

struct Bans<'a> {
    deployment: &'a Deployment,
    keys: Vec<String>,
    sent: usize,
}

/// Milliseconds that a ban took; `None`: it failed.
type Took = Option<f64>;

impl Bans<'_> {
    async fn ban(&mut self) -> Took {
        tokio::time::sleep(PAUSE).await;
        self.sent += 1;
        let guild = self.deployment.guild();
        let ban = json!({
            "identifier": (50_000_000 + self.sent).to_string(), "reason": "exploiting",
            "moderator_id": guild.members[0].chat, "duration_seconds": SECONDS,
        });
        let began = Instant::now();
        let api = self.deployment.api().key(&self.keys[self.sent % KEYS]);
        let answer = api.try_post(&format!("/moderation/{}/play/ban", guild.id), ban).await;
        let took = began.elapsed().as_secs_f64() * 1e3;
        answer.ok().filter(|answer| answer.status == 200).map(|_| took)
    }
}

fn report(figures: &mut Figures, bans: &[Took], idle: Option<&[Took]>) {
    let took: Vec<f64> = bans.iter().flatten().copied().collect();
    figures.report("bans", float(bans.len()));
    figures.at_most("failed", float(bans.len() - took.len()), 0.0);
    figures.report("ms, p50", percentile(&took, 50));
    let p99 = percentile(&took, 99);
    figures.report("ms, p99", p99);
    if let Some(idle) = idle {
        let idle: Vec<f64> = idle.iter().flatten().copied().collect();
        figures.at_most("p99, times idle", p99 / percentile(&idle, 99), 2.0);
    }
}

/// How long after its end each ban was closed.
async fn closed(deployment: &Deployment, figures: &mut Figures) {
    let (connection, id) = (deployment.connect().await, deployment.guild().id.clone());
    let late = eventually("all bans are closed", Duration::from_secs(120), async || {
        let of_guild =
            sanction::Entity::find().filter(sanction::Column::GuildId.eq(id.as_str().parse::<i64>().ok()));
        let bans = of_guild.filter(sanction::Column::ExpiresAt.is_not_null()).all(&connection).await.ok()?;
        let late = |ban: &sanction::Model| Some((ban.lifted_at? - ban.expires_at?).as_seconds_f64());
        bans.iter().map(late).collect::<Option<Vec<f64>>>()
    });
    figures.at_most("a ban is closed after its end, s, most", percentile(&late.await, 100), CLOSED_WITHIN);
}

/// Rows of the tables that grow: bans, links, entries of the audit log and of staff, a quarter each.
async fn fill(deployment: &Deployment, rows: usize) {
    let guild = &deployment.fixture.guilds[2].id;
    let numbers = format!(
        "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {})",
        rows / 4
    );
    for insert in [
        "INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, mirror_state, revision) \
         {numbers} SELECT {guild}, 'ban', 6000000000 + n, 'exploiting', 1, at, 'none', 1 FROM number, now",
        "INSERT INTO link (guild_id, chat_id, play_id, play_username, verified_at) \
         {numbers} SELECT {guild}, 2000000000000000000 + n, 5000000000 + n, 'Brickmason' || n, at FROM number, now",
        "INSERT INTO audit_entry (guild_id, action, source, actor_id, target_id, metadata, created_at) \
         {numbers} SELECT {guild}, 'moderation.ban', 'service', 1, CAST(n AS text), '{}', at FROM number, now",
        "INSERT INTO staff_action (guild_id, staff_id, action_type, target_id, details, created_at) \
         {numbers} SELECT {guild}, 1, 'ban', CAST(n AS text), '{}', at FROM number, now",
    ] {
        let insert = insert.replace("{numbers}", &numbers).replace("{guild}", guild);
        deployment
            .execute(&insert.replace(", now", ", (SELECT max(created_at) AS at FROM guild) AS now"))
            .await;
    }
}
