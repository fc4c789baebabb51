//! Ten virtual hours of 50 servers with 30 players each: joins, leaves, bans, commands, ten minutes without the service.

use std::collections::HashSet;
use std::time::Instant;

use luau_harness::{Pace, World};
use serde_json::json;
use testkit::{Deployment, Mode, Setup, run};

use super::{ban, bans, script, world};

const SERVERS: usize = 50;
const PLAYERS: i64 = 30;
const MINUTES: usize = 600;
/// When the service is away.
const AWAY: std::ops::Range<usize> = 180..190;
/// A ban every so many minutes.
const BAN_INTERVAL: usize = 20;
/// Virtual seconds between ticks: the real ones, 300 a minute for 50 servers, would take too long here.
const TICK_INTERVAL: f64 = 120.0;

#[test]
fn ten_hours_of_fifty_servers() {
    run(Setup::new(Mode::Embedded), ten_hours);
}

struct Game {
    world: World,
    next_user: i64,
    banned: HashSet<i64>,
    commands: usize,
}

async fn ten_hours(deployment: &Deployment) {
    let (api, guild, began) = (deployment.api(), deployment.guild().id.clone(), Instant::now());
    let mut game = begin(deployment).await;
    for minute in 0..MINUTES {
        if minute == AWAY.start {
            game.broadcast(deployment, "before").await;
            // Each server has begun to run it, and none has finished.
            game.world.run_for(TICK_INTERVAL + 5.0).await;
            game.world.network().set_away(true);
        }
        if minute == AWAY.end {
            game.world.network().set_away(false);
        }
        for _ in 0..2 {
            game.turn_over();
        }
        let (server, user) = game.anyone();
        if AWAY.contains(&minute) {
            let script = format!("assert(guildhall:ban({user}, {{ reason = 'cheats' }}))");
            game.world.servers[server].run(&script).unwrap();
            game.banned.insert(user);
        } else if minute % BAN_INTERVAL == 0 {
            ban(&api, &guild, user).await;
            game.banned.insert(user);
        }
        if minute % 100 == 50 {
            game.broadcast(deployment, &minute.to_string()).await;
        }
        game.world.run_for(60.0).await;
    }
    game.world.run_for(180.0).await;
    println!("ten hours took {:.1} s, {} calls", began.elapsed().as_secs_f64(), game.world.take_sent().len());
    game.everything_was_right();
    let made = bans(&api, &guild).await;
    let users: HashSet<i64> =
        made.iter().map(|ban| ban["identifier"].as_str().unwrap().parse().unwrap()).collect();
    assert_eq!((users, made.len()), (game.banned.clone(), game.banned.len()), "each ban was made once");
    game.the_banned_stay_out().await;
    all_say_goodbye(deployment, &mut game).await;
}

/// All servers run, and are full.
async fn begin(deployment: &Deployment) -> Game {
    let world = world(deployment, Pace::Virtual, SERVERS).await;
    world.network().rewrite(|path, data| {
        if path == "/play/servers/tick" && data.is_object() {
            data["next_in_seconds"] = json!(TICK_INTERVAL);
        }
    });
    let mut game = Game { world, next_user: 2_000_000, banned: HashSet::new(), commands: 0 };
    for server in 0..SERVERS {
        // Virtual time does not pass while the service holds a tick.
        game.world.servers[server].run(&script(deployment, "waitSeconds = 0")).unwrap();
        for _ in 0..PLAYERS {
            game.join(server);
        }
    }
    game.world.run_for(120.0).await;
    game
}

impl Game {
    fn join(&mut self, server: usize) {
        self.next_user += 1;
        self.world.servers[server].join(self.next_user).unwrap();
    }

    /// Somebody of a random server.
    fn anyone(&self) -> (usize, i64) {
        let server = self.world.random(0..SERVERS);
        let present = self.world.servers[server].players().unwrap();
        (server, present[self.world.random(0..present.len())])
    }

    /// Somebody leaves a server, and somebody else comes.
    fn turn_over(&mut self) {
        let (server, leaving) = self.anyone();
        self.world.servers[server].leave(leaving).unwrap();
        self.join(server);
    }

    /// A command for every live server.
    async fn broadcast(&mut self, deployment: &Deployment, reason: &str) {
        let path = format!("/guilds/{}/servers/commands", deployment.guild().id);
        let command = json!({ "type": "count", "target_id": "everyone", "reason": reason });
        deployment.api().post(&path, command).await.ok();
        self.commands += 1;
    }

    fn everything_was_right(&self) {
        for server in &self.world.servers {
            let (seen, present) = (server.seen(), server.players().unwrap());
            assert_eq!((&seen.failed, seen.over_budget), (&Vec::new(), 0));
            let innocent = seen.kicked.iter().find(|(user, _, _)| !self.banned.contains(user));
            assert_eq!(innocent, None);
            assert!(!present.iter().any(|user| self.banned.contains(user)));
            // No join failed, also while the service was away.
            let loaded: HashSet<i64> = seen.loaded.iter().map(|(user, _)| *user).collect();
            assert!(present.iter().all(|user| loaded.contains(user)));
            let runs =
                "local counts = {} for _, count in runs do table.insert(counts, count) end return counts";
            assert_eq!(server.eval::<Vec<usize>>(runs).unwrap(), vec![1; self.commands], "each was run once");
        }
    }

    async fn the_banned_stay_out(&mut self) {
        let mut banned: Vec<i64> = self.banned.iter().copied().collect();
        banned.sort_unstable();
        let before: usize =
            self.world.servers.iter().map(|server| server.look(|seen| seen.loaded.len())).sum();
        for (number, user) in banned.iter().enumerate() {
            self.world.servers[number % SERVERS].join(*user).unwrap();
        }
        self.world.run_for(10.0).await;
        let after: usize =
            self.world.servers.iter().map(|server| server.look(|seen| seen.loaded.len())).sum();
        assert_eq!(after, before, "no character of theirs was loaded");
        for server in &self.world.servers {
            assert!(!server.players().unwrap().iter().any(|user| self.banned.contains(user)));
        }
    }
}

async fn all_say_goodbye(deployment: &Deployment, game: &mut Game) {
    for server in &game.world.servers {
        server.close().unwrap();
    }
    game.world.run_for(31.0).await;
    assert!(game.world.servers.iter().all(|server| server.look(|seen| seen.closed == Some(true))));
    let left = deployment.api().get(&format!("/guilds/{}/servers", deployment.guild().id)).await.ok();
    assert_eq!(left["servers"], json!([]));
}
