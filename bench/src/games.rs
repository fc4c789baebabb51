//! A game with many servers on one key, as its developer might write it: how often it is refused, and how long a banned
//! player stays. The limits count in real time, so it takes minutes.

mod sdk;
mod server;
mod way;
mod world;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use testkit::{Deployment, Mode, Setup};

use crate::figures::{Figures, float};
use sdk::Servers;
use server::Server;
use way::Way;
use world::World;

/// Simulate the servers of a game: refusals, and the time from a ban to the kick, for each way to ask
#[derive(clap::Args)]
pub struct Arguments {
    /// Several processes with Postgres, RabbitMQ and Redis, instead of one with SQLite
    #[arg(long)]
    distributed: bool,
    /// Servers of the game
    #[arg(long, default_value_t = 50)]
    servers: usize,
    /// Players on each
    #[arg(long, default_value_t = 30)]
    players: usize,
    /// Factor of the key
    #[arg(long, default_value_t = 1)]
    factor: u32,
    /// Minutes for each way; all servers restart in the middle
    #[arg(long, default_value_t = 4)]
    minutes: u64,
    /// Only this way
    #[arg(long, value_enum)]
    way: Option<Way>,
}

const WAYS: [Way; 5] = [Way::Hand, Way::Lists, Way::Tick, Way::Held, Way::Sdk];
const BAN_INTERVAL: Duration = Duration::from_secs(30);
/// From a ban to the kick, s.
const BAN_TO_KICK: f64 = 12.0;

pub async fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let setup = Setup::new(Mode::embedded_if(!arguments.distributed));
    let deployment = Deployment::seeded(setup).await;
    deployment.start_all().await;
    println!(
        "{:<8} {:>9} {:>9} {:>12} {:>11} {:>7}",
        "way", "calls/min", "refused", "median, s", "longest, s", "missed"
    );
    let mut figures = Figures::default();
    for way in WAYS.into_iter().filter(|way| arguments.way.is_none_or(|only| only == *way)) {
        let seen = play(&deployment, arguments, way).await?;
        println!(
            "{:<8} {:>9} {:>9} {:>12.2} {:>11.2} {:>7}",
            format!("{way:?}").to_lowercase(),
            seen.calls / arguments.minutes,
            seen.refused,
            seen.median(),
            seen.longest(),
            seen.missed
        );
        if matches!(way, Way::Tick | Way::Held | Way::Sdk) {
            figures.at_most(
                &format!("{way:?}: refused"),
                float(usize::try_from(seen.refused).unwrap_or(usize::MAX)),
                0.0,
            );
            figures.at_most(&format!("{way:?}: missed"), float(seen.missed), 0.0);
        }
        if matches!(way, Way::Held | Way::Sdk) {
            let name = format!("{way:?}: longest from ban to kick, s");
            figures.at_most(&name, seen.longest(), BAN_TO_KICK);
        }
    }
    Ok(figures.conclude())
}

async fn play(deployment: &Deployment, arguments: &Arguments, way: Way) -> anyhow::Result<world::Seen> {
    let guild = deployment.guild();
    let (name, factor) = (format!("{way:?}"), arguments.factor.to_string());
    let create = ["keys", "create", "--guild", &guild.id, "--name", &name, "--owner", &guild.members[0].chat];
    let more = ["--for", "game", "--hot-path-factor", &factor];
    let key = deployment.command(&[&create[..], &more].concat()).await.succeeded().trim().to_owned();
    let world = Arc::new(World::new(guild.id.clone(), arguments.servers, arguments.players));
    let half = Duration::from_secs(arguments.minutes * 30);
    for life in ["a", "b"] {
        let base = |n: usize| deployment.api_base(n % if arguments.distributed { 2 } else { 1 });
        let (mut servers, mut of_sdk) = (Vec::new(), None);
        if way == Way::Sdk {
            let at = (base(0), key.as_str());
            of_sdk = Some(Servers::start(world.clone(), arguments.servers, life, (&at.0, at.1)));
        } else {
            let server = |n| Server::new(world.clone(), way, (n, life), (base(n), &key));
            servers.extend((0..arguments.servers).map(|n| tokio::spawn(server(n).run())));
        }
        let began = tokio::time::Instant::now();
        while began.elapsed() + BAN_INTERVAL < half {
            tokio::time::sleep(BAN_INTERVAL).await;
            let player = world.choose();
            world.banned(player);
            let body =
                json!({ "identifier": player.to_string(), "reason": "exploiting", "moderator_id": "0" });
            deployment.api().post(&format!("/moderation/{}/play/ban", guild.id), body).await.ok();
        }
        // The last ban has its time.
        tokio::time::sleep_until(began + half).await;
        servers.iter().for_each(tokio::task::JoinHandle::abort);
        of_sdk.map_or(Ok(()), Servers::stop)?;
    }
    Ok(world.seen())
}
