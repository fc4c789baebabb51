//! Postgres is away, in both shapes: its machine vanished, or its process ended. Calls are refused at once, and checks
//! of a guild in memory go on.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use testkit::proxy::Proxy;
use testkit::{Answer, Deployment, eventually, key_text};
use tokio::sync::Notify;

use super::database::{a_ban_in_memory, checks_go_on_from_memory};
use super::order::WAIT_LIMIT;
use super::through;

/// An outage is noticed in a second and a half; twice that on a loaded machine.
const NOTICE: Duration = Duration::from_secs(3);
/// Limit of one call while the outage is known: some milliseconds, and a reserve.
const AT_ONCE: Duration = Duration::from_secs(2);
/// Three times each of twenty calls.
const ROUNDS: usize = 3;
/// Bans under way when the outage begins.
const BANS: usize = 12;

#[test]
fn calls_are_refused_at_once_while_postgres_is_away() {
    through(&["GUILDHALL_DATABASE_URL"], async |deployment, proxy| {
        let check = a_ban_in_memory(deployment).await;
        deployment.api().post("/play/servers/heartbeat", heartbeat()).await.ok();
        for (shape, fault) in [("refused", Proxy::refuse as fn(&Proxy)), ("silent", Proxy::half_open)] {
            println!("postgres is away: {shape}");
            // Slow, so that bans are under way when the outage begins; and slow is not away.
            proxy.latency(Duration::from_millis(20), Duration::from_millis(20));
            deployment.api().get(&paths(deployment)[0]).await.ok();
            let first_done = Notify::new();
            let ban = async |n: usize| {
                // Not that of the ban in memory: a change of it would have to be read.
                let id = format!("{}1{n:03}", shape.len());
                let answer = ban(deployment, &id).await;
                first_done.notify_one();
                (answer, id)
            };
            let begins = async {
                first_done.notified().await;
                fault(proxy);
                Instant::now()
            };
            let bans = futures_util::future::join_all((0..BANS).map(ban));
            let (began, bans) = tokio::join!(begins, bans);
            println!("{BANS} bans were answered within {:.2?}", began.elapsed());
            assert!(began.elapsed() < NOTICE + AT_ONCE, "a ban under way waited: {:?}", began.elapsed());
            checks_go_on_from_memory(deployment, &check).await;
            all_are_refused(deployment).await;
            scrapes_say_so(deployment).await;
            checks_go_on_from_memory(deployment, &check).await;

            proxy.heal();
            let healed = Instant::now();
            eventually("calls are served again", WAIT_LIMIT, async || {
                let mut answers = Vec::new();
                for path in paths(deployment) {
                    answers.push(deployment.api().get(&path).await);
                }
                answers.iter().all(|answer| answer.status == 200).then_some(())
            })
            .await;
            println!("served again {:.2?} after the end", healed.elapsed());
            for (answer, id) in bans {
                let check = format!("/moderation/{}/ban-status/{id}", deployment.guild().id);
                let banned = deployment.api().get(&check).await.ok()["banned"] == true;
                assert!(matches!(answer.status, 200 | 503), "{answer}");
                assert!(banned || answer.status == 503, "{id} was reported as banned: {answer}");
            }
        }
    });
}

/// Also with what is measured for the scrape: nothing in it waits for the database.
async fn scrapes_say_so(deployment: &Deployment) {
    let lines = ["guildhall_database_away 1", "guildhall_dependency_up{dependency=\"database\"} 0"];
    let scraped = eventually("a scrape says that the database is away", NOTICE, async || {
        let scraped = deployment.metrics(0).await;
        lines.iter().all(|line| scraped.lines().any(|found| found == *line)).then_some(scraped)
    })
    .await;
    assert!(!scraped.contains("guildhall_jobs_queued{"), "it is not known: {scraped}");
}

async fn ban(deployment: &Deployment, id: &str) -> Answer {
    let moderator = &deployment.guild().members[0].chat;
    let ban = json!({ "identifier": id, "reason": "r", "moderator_id": moderator });
    deployment.api().post(&format!("/moderation/{}/play/ban", deployment.guild().id), ban).await
}

/// Reads that need the database while the change log is not read.
fn paths(deployment: &Deployment) -> [String; 12] {
    let (guild, member) = (&deployment.guild().id, &deployment.guild().members[0]);
    [
        "/bindings/list".to_owned(),
        format!("/guilds/{guild}/members"),
        format!("/guilds/{guild}/jobs"),
        format!("/guilds/{guild}/audit-logs"),
        format!("/guilds/{guild}/servers"),
        format!("/moderation/{guild}/play/bans/active"),
        format!("/staff/leaderboard/{guild}"),
        format!("/lookup/chat/{}", member.chat),
        format!("/shield/check/{}", member.play),
        "/play/servers/s1/commands".to_owned(),
        // They read no row, but the key may have been revoked.
        "/staff/action-types".to_owned(),
        format!("/guilds/{guild}/roles"),
    ]
}

/// A heartbeat of a server that the process knows.
fn heartbeat() -> serde_json::Value {
    json!({ "server_id": "s1", "place_id": 1, "universe_id": 2, "player_count": 3 })
}

async fn all_are_refused(deployment: &Deployment) {
    let (guild, member) = (&deployment.guild().id, &deployment.guild().members[0]);
    let sanction = json!({ "identifier": "9", "reason": "r", "moderator_id": member.chat });
    let posts = [
        (format!("/moderation/{guild}/play/mute"), sanction.clone()),
        (format!("/moderation/{guild}/play/unban"), sanction),
        ("/interactions/sync".to_owned(), json!({ "user_id": member.chat })),
        ("/staff/play/verify".to_owned(), json!({ "play_id": member.play })),
        ("/shield/batch".to_owned(), json!({ "play_ids": [1, 2] })),
        ("/shield/batch".to_owned(), json!({ "play_ids": [] })),
        ("/play/servers/heartbeat".to_owned(), heartbeat()),
        (
            format!("/guilds/{guild}/servers/commands"),
            json!({ "type": "kick", "target_id": "9", "reason": "r" }),
        ),
    ];
    let reads = paths(deployment).map(|path| (Method::GET, path, None));
    let writes = posts.map(|(path, body)| (Method::POST, path, Some(body)));
    let calls: Vec<_> = reads.into_iter().chain(writes).collect();
    let unknown = deployment.api().key(&key_text(99, "unknown"));
    let mut slowest = Duration::ZERO;
    for _ in 0..ROUNDS {
        let own = calls.iter().map(|call| (deployment.api(), call.clone()));
        for (api, (method, path, body)) in own.chain([(unknown.clone(), calls[0].clone())]) {
            let asked = Instant::now();
            let answer = api.send(method, &path, body).await;
            slowest = slowest.max(asked.elapsed());
            assert!(asked.elapsed() < AT_ONCE, "{answer} took {:?}", asked.elapsed());
            assert_eq!((answer.status, answer.error()), (503, "database_unavailable"), "{answer}");
            assert!(answer.number("retry-after") >= 1, "{answer}");
        }
    }
    println!("{} calls were refused, the slowest within {slowest:.2?}", ROUNDS * (calls.len() + 1));
}
