use entities::api_key::{self, NewKey, Scopes};
use entities::key_text::KeyText;
use http_body_util::BodyExt;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use super::*;
use crate::call::fixture::{CallFixture, the_guild};
use crate::endpoints::{guilds, lookup, moderation, play, shield, staff};
use crate::response::large::LargeAnswers;
use crate::response::payload::into_warp;
use crate::server::console_page::Refused;
use crate::server::correlation::REQUEST_ID;
use crate::server::in_process::InProcess;

fn bytes_of_1<A, F>(_: impl FnOnce(A) -> F) -> usize {
    size_of::<F>()
}

fn bytes_of_2<A, B, F>(_: impl FnOnce(A, B) -> F) -> usize {
    size_of::<F>()
}

/// Each layer between the connection and the handler moves the future of the one below, for every request: what only some
/// requests wait for is in a box.
#[test]
fn no_request_moves_the_room_that_only_some_need() {
    let answer = bytes_of_2(answer);
    assert!(answer <= 2_500, "{answer}");
    let hot = [
        ("ban-status, mute-status", bytes_of_2(moderation::ban_status::get::handle)),
        ("lookup", bytes_of_1(lookup::chat::get::handle)),
        ("Shield check", bytes_of_1(shield::check::get::handle)),
        ("Shield batch", bytes_of_1(shield::batch::post::handle)),
        ("commands", bytes_of_1(play::servers::commands::get::handle)),
        ("server heartbeat", bytes_of_1(play::servers::heartbeat::post::handle)),
        ("session heartbeat", bytes_of_1(staff::play::heartbeat::post::handle)),
        ("staff verify", bytes_of_1(staff::play::verify::post::handle)),
        ("play permissions", bytes_of_1(guilds::staff::play::permissions::get::handle)),
    ];
    for (name, bytes) in hot {
        assert!(bytes <= 1_000, "{name}: {bytes}");
    }
}

fn server_of(state: &Arc<State>) -> Arc<Server> {
    let router = Arc::new(Router::new());
    let api = Arc::new(InProcess { state: state.clone(), router: router.clone() });
    let State { context, platforms, queue, .. } = &**state;
    let (context, platforms, queue) = (context.clone(), platforms.clone(), queue.clone());
    let rights = Arc::new(people::RightsCache::new(context.clone(), platforms.clone()));
    let chat = ChatCommands {
        context: context.clone(),
        platforms: platforms.clone(),
        api: api.clone(),
        rights: rights.clone(),
        public_url: None,
    };
    let console = Console::new(context, platforms, queue, api, rights, console::WaysIn::default());
    Arc::new(Server { state: state.clone(), router, console, chat: Arc::new(chat) })
}

fn request(method: Method, path: &str, key: &KeyText, id: &'static str) -> Box<Request> {
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", key.reveal().parse().unwrap());
    headers.insert(REQUEST_ID, HeaderValue::from_static(id));
    let body = futures_util::stream::empty().boxed();
    let (path, query, peer) = (path.to_owned(), String::new(), IpAddr::from([127, 0, 0, 1]));
    let headers = Arc::new(headers);
    Box::new(Request { method, path, query, headers, peer, upgrade: None, body })
}

async fn known_key(state: &State) -> NewKey {
    let key = NewKey {
        guild: the_guild(),
        text: KeyText::generate(),
        name: "n".to_owned(),
        owner: "6".parse().unwrap(),
        scopes: Scopes::default_set(),
        expires_at: None,
        hot_path_factor: 1,
        parent: None,
        trusted: false,
    };
    let now = state.context.clock.now();
    api_key::create(state.context.database.write(), key.clone(), now).await.unwrap();
    key
}

/// The line of this message, which has each field once.
fn line(id: &str, message: &str) -> Value {
    let lines = testkit::logs().with(id);
    let line = lines.iter().find(|line| line.contains(message)).unwrap_or_else(|| panic!("{lines:?}"));
    for field in ["request.id", "http.method", "http.route"] {
        assert_eq!(line.matches(&format!("\"{field}\":")).count(), 1, "{field}: {line}");
    }
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["request.id"], id, "{line}");
    line
}

#[tokio::test]
async fn each_line_below_a_request_carries_its_fields_once() {
    testkit::logs();
    let fixture = CallFixture::new().await;
    let (server, state) = (server_of(&fixture.state), &fixture.state);
    let known = known_key(state).await;
    // A change has a task of its own.
    let path = "/guilds/5/audit-logs";
    answer(server.clone(), request(Method::POST, path, &known.text, "line-of-a-change")).await;
    let answered = line("line-of-a-change", "request answered");
    assert_eq!(answered["guild.id"], 5, "{answered}");
    let route = (&answered["http.method"], &answered["http.route"]);
    assert_eq!(route, (&json!("POST"), &json!("/guilds/{guildId}/audit-logs")));

    let unknown = KeyText::generate();
    for _ in 0..31 {
        answer(server.clone(), request(Method::GET, path, &unknown, "line-of-a-wrong-key")).await;
    }
    let refused = line("line-of-a-wrong-key", "too many wrong keys");
    assert_eq!(refused["http.route"], "/guilds/{guildId}/audit-logs", "{refused}");
    answer(server, request(Method::GET, "/no/such/path", &unknown, "line-of-nothing")).await;
    assert_eq!(line("line-of-nothing", "request answered")["http.route"], "unmatched");
}

/// A client that repeats them is slowed down (`server/connection.rs`).
#[tokio::test]
async fn every_refused_page_of_the_console_is_marked() {
    let fixture = CallFixture::new().await;
    let server = server_of(&fixture.state);
    let asked = async |path: &str| {
        let page = answer(server.clone(), request(Method::GET, path, &KeyText::generate(), "marked")).await;
        (page.status().as_u16(), page.extensions().get::<Refused>().is_some())
    };
    // By the checks before the page, by the page itself, and one that is shown.
    assert_eq!(asked("/console/sessions").await, (303, true));
    assert_eq!(asked("/console/sign-in/callback").await, (404, true));
    assert_eq!(asked("/console/sign-in").await, (200, false));
}

/// A guild may hold this much of large answers; and a key.
async fn of_512_kib() -> (CallFixture, NewKey) {
    let mut fixture = CallFixture::new().await;
    Arc::get_mut(&mut fixture.state).unwrap().large_answers = LargeAnswers::of_kib(512);
    let key = known_key(&fixture.state).await;
    (fixture, key)
}

/// More than a guild's lists may hold, so no part of it is kept.
#[tokio::test]
async fn a_list_too_long_to_be_held_is_sent_whole() {
    const ROWS: usize = 2_100;
    let (fixture, key) = of_512_kib().await;
    let (server, state) = (server_of(&fixture.state), &fixture.state);
    let rows = format!(
        "INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, mirror_state, revision) \
         WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {ROWS}) \
         SELECT 5, 'ban', 6000000000 + n, '{}' || n, 1, (SELECT max(created_at) FROM guild), 'none', 1 FROM number",
        "exploiting ".repeat(40),
    );
    state.context.database.write().execute_unprepared(&rows).await.unwrap();
    let path = "/moderation/5/play/bans/active";
    let response = answer(server, request(Method::GET, path, &key.text, "a-long-list")).await;
    assert_eq!(response.status(), 200);
    let Payload::Made(mut parts) = response.into_body() else { panic!("it was held") };
    let mut body = Vec::new();
    while let Some(part) = parts.recv().await {
        body.extend_from_slice(&part.unwrap());
    }
    assert!(body.len() > 600_000, "{} bytes could be held", body.len());
    let list: Value = serde_json::from_slice(&body).unwrap();
    let ids: Vec<_> =
        list["data"]["bans"].as_array().unwrap().iter().map(|ban| ban["id"].as_i64().unwrap()).collect();
    assert_eq!((ids.len(), ids.is_sorted(), &list["data"]["complete"]), (ROWS, true, &json!(true)));
}

#[tokio::test]
async fn a_large_answer_counts_until_it_is_sent() {
    const ROWS: usize = 400;
    let (fixture, key) = of_512_kib().await;
    let (server, state) = (server_of(&fixture.state), &fixture.state);
    let rows = format!(
        "INSERT INTO staff_note (guild_id, staff_id, author_id, body, created_at, updated_at) \
         WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {ROWS}) \
         SELECT 5, 6, 6, '{}' || n, (SELECT max(created_at) FROM guild), (SELECT max(created_at) FROM guild) FROM number",
        "as agreed ".repeat(90),
    );
    state.context.database.write().execute_unprepared(&rows).await.unwrap();
    let half_is_free = || state.large_answers.memory(the_guild()).try_cover(256 * 1024);
    let get = async |path| answer(server.clone(), request(Method::GET, path, &key.text, "large")).await;
    let response = get("/guilds/5/staff/notes").await;
    assert_eq!(response.status(), 200);
    assert!(!half_is_free(), "the memory is counted while the answer is sent");
    let body = into_warp(response).into_body();
    assert!(!half_is_free(), "and while the connection has the body");
    let body = body.collect().await.unwrap().to_bytes();
    assert!(half_is_free(), "and no longer");
    let list: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((list["status"].as_str(), list["data"].as_array().unwrap().len()), (Some("success"), ROWS));
    // Without memory it waits; one that is not large needs none.
    let held = get("/guilds/5/staff/notes").await;
    let waits = tokio::time::timeout(Duration::from_millis(20), get("/guilds/5/staff/notes")).await.is_err();
    assert!(waits, "two are sent at once");
    assert_eq!(get("/guilds/5/staff/strikes").await.status(), 200);
    drop(held);
    assert_eq!(get("/guilds/5/staff/notes").await.status(), 200);
}
