//! The hostile clients. Each runs on a low-priority thread of its own, because it stands for another machine.

use entities::key_text::KeyText;
use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::console;
use super::target::{HAMMERS, Target};
use crate::http::load;

/// The number of clients that hold a connection each.
const HOLDERS: usize = 300;
const SILENT: usize = 1_000;
/// Keys of the hostile guild, each with a connection.
const KEYS: usize = 50;

/// The attack for which the platform refuses.
pub(super) const WITHOUT_BOT: &str = "a stranger at a guild without the bot";

pub(super) struct Attack {
    pub(super) name: &'static str,
    /// Most of the 99th percentile of others, times idle.
    pub(super) most: f64,
    /// It holds connections, which must be closed.
    pub(super) holds: bool,
    run: fn(Target) -> BoxFuture<'static, ()>,
}

macro_rules! attack {
    ($name:expr, $most:literal, $holds:literal, $($run:ident)::+) => {
        Attack { name: $name, most: $most, holds: $holds, run: |target| Box::pin($($run)::+(target)) }
    };
}

pub(super) const ATTACKS: [Attack; 12] = [
    attack!("wrong keys", 1.2, false, wrong_keys),
    attack!("readers that read nothing", 1.2, true, readers),
    attack!("requests that are none", 1.2, false, nonsense),
    attack!("silent connections", 1.2, true, silent),
    attack!("a guild with 50 keys", 2.0, false, guild),
    attack!("forms that stop short, of nobody", 1.2, true, console::forms_of_nobody),
    attack!("forms that stop short, of an admin", 1.2, false, console::forms_of_an_admin),
    attack!("forms of two million fields", 1.2, false, console::forms_of_fields),
    attack!("methods, paths, headers and hosts by chance", 1.2, false, console::by_chance),
    attack!("sign-ins that were not begun", 1.2, false, console::sign_ins),
    attack!(WITHOUT_BOT, 1.2, false, console::stranger),
    attack!("exports of the audit log", 1.2, false, console::exports),
];

impl Attack {
    /// Goes on until it is stopped.
    pub(super) fn start(&'static self, target: &Target) -> std::thread::JoinHandle<anyhow::Result<()>> {
        let target = target.clone();
        std::thread::spawn(move || {
            stand_aside();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on((self.run)(target));
            Ok(())
        })
    }
}

/// Uses only idle time of the processors, as if it were another machine. If that is not possible, the figures
/// are only worse.
fn stand_aside() {
    let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
    let _ = std::process::Command::new("chrt").args(["--idle", "--pid", "0", &thread]).status();
}

async fn wrong_keys(target: Target) {
    let path = format!("/moderation/{}/ban-status/77", target.guild);
    target.hammer(HAMMERS, |_, _| get(&path, &KeyText::generate().reveal())).await;
}

async fn nonsense(target: Target) {
    let texts = [
        "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "\u{16}\u{3}\u{1} nothing\r\n\r\n",
    ];
    target.hammer(HAMMERS, |client, turn| texts[(client + turn) % texts.len()].to_owned()).await;
}

async fn readers(target: Target) {
    let ask = get("/openapi.json", "none");
    let held = join_all((0..HOLDERS).map(async |number| {
        let mut stream = target.connect(number).await?;
        // Many answers, one behind the other.
        for _ in 0..8 {
            stream.write_all(ask.as_bytes()).await?;
        }
        std::io::Result::Ok(stream)
    }));
    let _held = held.await;
    target.until_over().await;
}

async fn silent(target: Target) {
    let _held = join_all((0..SILENT).map(|number| target.connect(number))).await;
    target.until_over().await;
}

async fn guild(target: Target) {
    let (guild, staff) = (&target.guild, &target.staff);
    target
        .hammer(KEYS, |client, turn| {
            let key = load::text(0, client);
            let n = turn * KEYS + client;
            let player = (n % 1_000 + 1).to_string();
            let ban = json!({ "identifier": player, "reason": "hostile", "moderator_id": staff });
            match turn % 10 {
                0 => post("/play/servers/heartbeat", &key, &server(n)),
                1 => post(
                    &format!("/play/servers/s{n}/commands"),
                    &key,
                    &json!({ "type": "kick", "target_id": player }),
                ),
                2 => post(
                    &format!("/guilds/{guild}/servers/commands"),
                    &key,
                    &json!({ "type": "kick", "target_id": player }),
                ),
                3 => post(&format!("/moderation/{guild}/play/ban"), &key, &ban),
                4 => get(&format!("/moderation/{guild}/play/bans/active"), &key),
                5 => get(&format!("/guilds/{guild}/members"), &key),
                6 => post("/shield/batch", &key, &json!({ "play_ids": (1..=200).collect::<Vec<_>>() })),
                7 => get(&format!("/guilds/{guild}/audit-logs"), &key),
                8 => get(&format!("/staff/leaderboard/{guild}"), &key),
                _ => get(&format!("/moderation/{guild}/ban-status/{player}"), &key),
            }
        })
        .await;
}

fn server(n: usize) -> Value {
    json!({ "server_id": format!("s{n}"), "place_id": 1, "universe_id": 1, "player_count": 1 })
}

fn get(path: &str, key: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: {key}\r\n\r\n")
}

fn post(path: &str, key: &str, body: &Value) -> String {
    let (body, head) = (body.to_string(), "Content-Type: application/json");
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: {key}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
