//! Plays one game server in real time: a server script of yours, players, and the service that it calls.
//!
//! `KEY=gh_... cargo run -p luau-harness --example play -- script.luau 4242 4243` lets two players join, and prints what
//! happens to them until Ctrl-C.

#![expect(clippy::print_stdout, reason = "a program for people")]

use luau_harness::{Pace, Place, World};

/// How often it looks, s.
const LOOKED_AT: f64 = 0.1;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let script = arguments.next().ok_or("name a file with a server script, then the ids of players")?;
    let script = std::fs::read_to_string(script)?;
    let secret = std::env::var("KEY").map_err(|_| "set KEY to the key that is the secret `guildhall`")?;
    let mut world = World::new(1, Pace::Real);
    let place = Place { job: "play-1".to_owned(), place: 77, universe: 7, studio: false, secret };
    let server = world.add(place)?;
    world.servers[server].run(&script)?;
    for player in arguments {
        world.servers[server].join(player.parse()?)?;
        println!("{player} joined");
    }
    let mut told = [0; 5];
    loop {
        world.run_for(LOOKED_AT).await;
        let seen = world.servers[server].seen();
        let kicked = seen.kicked.iter().map(|(player, text, _)| format!("{player} was kicked: {text}"));
        let loaded = seen.loaded.iter().map(|(player, _)| format!("{player} is in the world"));
        let lists: [Vec<String>; 5] =
            [loaded.collect(), kicked.collect(), seen.printed, seen.warned, seen.failed];
        for (list, told) in lists.iter().zip(&mut told) {
            list[*told..].iter().for_each(|line| println!("{line}"));
            *told = list.len();
        }
    }
}
