//! Whole lists of a large guild: shared by many calls, never stale, and no burden for other guilds.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use testkit::{Deployment, Guild, both_modes, http_client, in_turn};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::moderation::Moderating;

both_modes!(
    calls_at_once_get_the_same_whole_list(own),
    pages_are_the_whole_list(own),
    a_list_that_changes_is_never_stale(own),
);

in_turn!(slow_readers_cost_only_their_own_guild(own), abandoned_calls_end_and_give_back_their_turns(own),);

const LINKS: &str = "
INSERT INTO link (guild_id, chat_id, play_id, play_username, verified_at)
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {rows})
SELECT {guild}, 2000000000000000000 + n, 5000000000 + n, 'Brickmason' || n, (SELECT max(created_at) FROM guild)
FROM number";

const BANS: &str = "
INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, mirror_state, revision)
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {rows})
SELECT {guild}, 'ban', 6000000000 + n, '{reason}' || n, 1, (SELECT max(created_at) FROM guild), 'none', 1
FROM number";

/// Adds rows that no list has read yet.
async fn write(deployment: &Deployment, guild: &Guild, sql: &str, rows: usize) {
    let sql = sql.replace("{guild}", &guild.id).replace("{reason}", &"exploiting ".repeat(90));
    deployment.execute(&sql.replace("{rows}", &rows.to_string())).await;
}

fn bans_of(guild: &Guild) -> String {
    format!("/moderation/{}/play/bans/active", guild.id)
}

async fn send(deployment: &Deployment, guild: &Guild, method: Method, path: &str) -> Response {
    let request = http_client().request(method, format!("{}{path}", deployment.api_base(0)));
    request.header("x-api-key", &guild.admin_key).send().await.unwrap()
}

async fn get(deployment: &Deployment, guild: &Guild, path: &str) -> Value {
    let answer = send(deployment, guild, Method::GET, path).await;
    assert_eq!(answer.status(), 200, "{path}");
    let announced = answer.content_length().unwrap();
    let body = answer.bytes().await.unwrap();
    assert_eq!(body.len() as u64, announced, "{path}");
    serde_json::from_slice::<Value>(&body).unwrap()["data"].take()
}

async fn calls_at_once_get_the_same_whole_list(deployment: &Deployment) {
    let guild = deployment.guild();
    write(deployment, guild, BANS, 3_000).await;
    write(deployment, guild, LINKS, 20_000).await;
    let members = format!("/guilds/{}/members", guild.id);
    let users = format!("/guilds/{}/verified-users", guild.id);
    for (path, list, rows) in
        [(bans_of(guild), "bans", 3_000), (members.clone(), "members", 20_030), (users, "", 20_030)]
    {
        // A list that was not requested yet: a HEAD does not build it.
        let head = send(deployment, guild, Method::HEAD, &path).await;
        assert_eq!((head.status().as_u16(), head.content_length().unwrap_or(0)), (200, 0), "{path}");
        let announced = head.headers().get("etag").cloned();
        let answers = join_all((0..20).map(|_| get(deployment, guild, &path))).await;
        let found = if list.is_empty() { &answers[0] } else { &answers[0][list] };
        assert_eq!(found.as_array().unwrap().len(), rows, "{path}");
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{path}");
        let whole = send(deployment, guild, Method::GET, &path).await;
        let tag = whole.headers()["etag"].clone();
        assert!(announced.is_none_or(|announced| announced == tag), "{path}");
        let request = http_client().get(format!("{}{path}", deployment.api_base(0)));
        let same = request.header("x-api-key", &guild.admin_key).header("if-none-match", tag);
        assert_eq!(same.send().await.unwrap().status(), 304, "{path}");
    }
    assert_eq!(get(deployment, guild, &members).await["total"], 20_030);
}

async fn pages_are_the_whole_list(deployment: &Deployment) {
    let guild = deployment.guild();
    write(deployment, guild, BANS, 230).await;
    write(deployment, guild, LINKS, 230).await;
    let guild_path = |rest: &str| format!("/guilds/{}/{rest}", guild.id);
    for (path, list, id) in [
        (bans_of(guild), "bans", "id"),
        (guild_path("members"), "members", "chat_id"),
        (guild_path("verified-users"), "", "chat_id"),
        ("/bindings/list".to_owned(), "bindings", "id"),
        (guild_path("roles"), "roles", "id"),
        (format!("/staff/members/{}", guild.id), "members", "chat_id"),
        (format!("/staff/leaderboard/{}", guild.id), "leaderboard", "chat_id"),
        ("/staff/action-types".to_owned(), "", ""),
    ] {
        let rows = |body: &Value| {
            let rows = if list.is_empty() { &body["data"] } else { &body["data"][list] };
            rows.as_array().unwrap().clone()
        };
        let api = deployment.api();
        let mut whole = rows(&api.get(&path).await.body);
        let limit = whole.len().div_ceil(3).max(1);
        let (mut paged, mut next) = (Vec::new(), Some(format!("{path}?limit={limit}")));
        while let Some(page) = next {
            let answer = api.get(&page).await;
            assert_eq!(answer.status, 200, "{answer}");
            next = answer.header("link").map(|link| link.split(['<', '>']).nth(1).unwrap().to_owned());
            let last = rows(&answer.body).last().map(|row| row[id].clone());
            if !list.is_empty() {
                let cursor = &answer.body["data"]["next_cursor"];
                assert_eq!(
                    (cursor.is_null(), next.is_none() || Some(cursor) == last.as_ref()),
                    (next.is_none(), true)
                );
            }
            paged.extend(rows(&answer.body));
        }
        let key = |row: &Value| row.to_string();
        whole.sort_by_key(key);
        paged.sort_by_key(key);
        assert_eq!(paged, whole, "{path}");
    }
    deployment.api().get(&format!("{}?since=1&limit=5", bans_of(guild))).await.refused(400, &["`since`"]);
    // Rows that are added between two pages do not shift the second page.
    let first = deployment.api().get(&format!("{}?limit=100", bans_of(guild))).await.ok();
    deployment.ban("77001", json!({})).await;
    let rest = format!("{}?limit=100&cursor={}", bans_of(guild), first["next_cursor"]);
    let second = deployment.api().get(&rest).await.ok();
    let ids = [&first, &second].map(|page| page["bans"].as_array().unwrap().clone()).concat();
    let ids: Vec<i64> = ids.iter().map(|ban| ban["id"].as_i64().unwrap()).collect();
    assert!(ids.is_sorted_by(|one, next| *one == next + 1), "{ids:?}");
}

async fn a_list_that_changes_is_never_stale(deployment: &Deployment) {
    let guild = deployment.guild();
    write(deployment, guild, BANS, 1_200).await;
    let path = bans_of(guild);
    let listed = async || get(deployment, guild, &path).await["bans"].as_array().unwrap().clone();
    for round in 0..8 {
        let player = (88_000 + round).to_string();
        let (others, id) = tokio::join!(
            join_all((0..4).map(|_| listed())),
            deployment.ban(&player, json!({ "reason": "r".repeat(1_000) }))
        );
        assert!(others.iter().all(|list| list.len() >= 1_200));
        let now = listed().await;
        assert!(now.iter().any(|ban| ban["id"] == id), "the ban is not listed");
        assert_eq!(now.len(), 1_201);
        deployment.unban(&player, json!({})).await.ok();
        assert_eq!(listed().await.len(), 1_200);
    }
}

/// More than the buffers of a connection take.
const MANY: usize = 25_000;

/// A call of the active bans of which only the status is read.
async fn begin(deployment: &Deployment, guild: &Guild) -> TcpStream {
    let base = deployment.api_base(0);
    let mut reader = TcpStream::connect(base.strip_prefix("http://").unwrap()).await.unwrap();
    let (path, key) = (bans_of(guild), &guild.admin_key);
    let head = format!("GET {path} HTTP/1.1\r\nhost: test\r\nx-api-key: {key}\r\n\r\n");
    reader.write_all(head.as_bytes()).await.unwrap();
    let mut begin = [0; 15];
    reader.read_exact(&mut begin).await.unwrap();
    assert_eq!(&begin, b"HTTP/1.1 200 OK");
    reader
}

async fn slow_readers_cost_only_their_own_guild(deployment: &Deployment) {
    let (slow, other) = (deployment.guild(), deployment.other_guild());
    write(deployment, slow, BANS, MANY).await;
    write(deployment, other, BANS, 1_200).await;
    let base = deployment.api_base(0);
    let mut readers = Vec::new();
    for _ in 0..4 {
        let reader = begin(deployment, slow).await;
        readers.push(tokio::spawn(read_slowly(reader)));
    }
    let began = Instant::now();
    let list = bans_of(slow);
    let (refused, ()) = tokio::join!(send(deployment, slow, Method::GET, &list), async {
        let whole = get(deployment, other, &bans_of(other)).await;
        assert_eq!(whole["bans"].as_array().unwrap().len(), 1_200);
        // A small list needs no turn.
        let page = get(deployment, slow, &format!("{}?limit=2", bans_of(slow))).await;
        assert_eq!(page["bans"].as_array().unwrap().len(), 2);
        let ready = http_client().get(format!("{base}/health/ready")).send().await.unwrap();
        assert_eq!(ready.status(), 200);
        assert!(began.elapsed() < Duration::from_secs(15), "others waited for the slow readers");
    });
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refused.json::<Value>().await.unwrap()["error"], "lists_busy");
    // A client that disconnects returns its turn.
    readers.pop().unwrap().abort();
    assert_eq!(get(deployment, slow, &bans_of(slow)).await["bans"].as_array().unwrap().len(), MANY);
}

/// Slowly, but not so slowly that the connection is cut.
async fn read_slowly(mut reader: TcpStream) {
    let mut part = vec![0; 16 * 1024];
    let mut turn = tokio::time::interval(Duration::from_millis(40));
    turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while reader.read_exact(&mut part).await.is_ok() {
        turn.tick().await;
    }
}

async fn abandoned_calls_end_and_give_back_their_turns(deployment: &Deployment) {
    let guild = deployment.guild();
    write(deployment, guild, BANS, MANY).await;
    let mut abandoned = Vec::new();
    for _ in 0..4 {
        abandoned.push(begin(deployment, guild).await);
    }
    // They stop reading: this call gets a turn when they are cut, after 15 s.
    assert_eq!(get(deployment, guild, &bans_of(guild)).await["bans"].as_array().unwrap().len(), MANY);
}
