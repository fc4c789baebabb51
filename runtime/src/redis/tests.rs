use std::sync::atomic::{AtomicUsize, Ordering};

use testkit::{PrivateServer, eventually};

use super::*;
use crate::shutdown::Shutdown;
use crate::subscription;

/// The Redis of this test run under its own prefix, or `None` with a line that reports the skipped test.
pub(crate) async fn test_redis(test: &str) -> Option<Redis> {
    let Ok(url) = std::env::var("GUILDHALL_TEST_REDIS_URL") else {
        eprintln!("skipped {test}: GUILDHALL_TEST_REDIS_URL is not set");
        return None;
    };
    Some(
        Redis::connect(&url, &format!("test-{:016x}", rand::random::<u64>()))
            .await
            .expect("the test Redis answers"),
    )
}

#[tokio::test]
async fn a_closed_port_is_an_error_at_start_and_fails_fast_later() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = format!("redis://ann:hunter2@127.0.0.1:{port}/0");
    let error = Redis::connect(&url, "test").await.err().unwrap().to_string();
    assert!(error.contains(&format!("cannot reach Redis at 127.0.0.1:{port}")), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
    let redis = Redis::lazy(&url, "test").unwrap();
    for _ in 0..100 {
        assert_eq!(redis.connection().await.err(), Some(RedisDown));
    }
}

#[tokio::test]
async fn a_redis_that_never_responds_costs_one_timeout() {
    // Answers the handshake of one connection, then falls silent, like a dead network.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}/0", listener.local_addr().unwrap());
    let silent = tokio::spawn(silent_after_handshake(listener));
    let redis = Redis::connect(&url, "test").await.unwrap();
    let started = Instant::now();
    assert!(!redis.ping().await);
    assert!(started.elapsed() >= COMMAND_TIMEOUT, "the first command did wait");
    let started = Instant::now();
    assert!(!redis.ping().await);
    assert!(started.elapsed() < COMMAND_TIMEOUT / 2, "the second one must not");
    silent.abort();
}

#[tokio::test]
async fn a_redis_that_stalls_at_startup_is_retried() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}/0", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let _stalled = listener.accept().await.unwrap();
        silent_after_handshake(listener).await;
    });
    assert!(Redis::connect(&url, "test").await.is_ok());
    server.abort();
}

async fn silent_after_handshake(listener: tokio::net::TcpListener) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        let sent = String::from_utf8_lossy(&buffer[..read]).to_string();
        if sent.contains("PING") {
            continue;
        }
        let commands = sent.matches("\r\n$").count().max(1).min(sent.matches('*').count());
        stream.write_all("+OK\r\n".repeat(commands).as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn a_dropped_connection_is_replaced_in_the_background() {
    let Some(redis) = test_redis("a_dropped_connection_is_replaced_in_the_background").await else {
        return;
    };
    let mut connection = redis.connection().await.unwrap();
    let id: i64 = redis::cmd("CLIENT").arg("ID").query_async(&mut connection).await.unwrap();
    let mut kill = redis::cmd("CLIENT");
    kill.arg("KILL").arg("ID").arg(id).arg("SKIPME").arg("no");
    // It may exit before it answers.
    let _ = kill.query_async::<()>(&mut connection).await;
    assert!(!redis.ping().await, "the connection was killed");
    eventually("it reconnects", Duration::from_secs(5), async || redis.ping().await.then_some(())).await;
}

async fn replicate(server: &PrivateServer, host: &str, port: &str, password: &str) {
    let client = Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let mut set = redis::cmd("CONFIG");
    set.arg("SET").arg("masterauth").arg(password).query_async::<()>(&mut connection).await.unwrap();
    redis::cmd("REPLICAOF").arg(host).arg(port).query_async::<()>(&mut connection).await.unwrap();
}

async fn write(redis: &Redis) -> bool {
    let Ok(mut connection) = redis.connection().await else { return false };
    redis::cmd("SET").arg(redis.key("written")).arg(1).query_async::<()>(&mut connection).await.is_ok()
}

#[tokio::test]
async fn a_demoted_primary_is_disconnected_and_reconnected() {
    let one = PrivateServer::start("redis", "replica");
    let other = PrivateServer::start("redis", "primary");
    let url = other.url();
    let (password, address) = url.trim_start_matches("redis://default:").split_once('@').unwrap();
    let (host, port) = address.trim_end_matches("/0").split_once(':').unwrap();
    let redis = Redis::connect(&one.url(), "test").await.unwrap();
    assert!(write(&redis).await);
    replicate(&one, host, port, password).await;
    assert!(!write(&redis).await, "a replica takes no writes");
    // It answers, but it is a replica.
    let is_left = async || (!redis.ping().await).then_some(());
    eventually("it is left", Duration::from_secs(5), is_left).await;
    assert!(Redis::connect(&one.url(), "test").await.is_err(), "nor is it accepted at a start");
    replicate(&one, "NO", "ONE", password).await;
    eventually("it is used again", Duration::from_secs(10), async || write(&redis).await.then_some(())).await;
}

#[tokio::test]
async fn an_idle_process_notices_an_outage_and_that_redis_is_back() {
    let server = PrivateServer::start("redis", "idle");
    let redis = Redis::connect(&server.url(), "test").await.unwrap();
    let (shutdown, heard) = (Shutdown::new(), Arc::new(AtomicUsize::new(0)));
    let count = heard.clone();
    let hear = move |_: &[u8]| {
        count.fetch_add(1, Ordering::Relaxed);
    };
    subscription::start(&redis, "idle".to_owned(), hear, &shutdown);
    let is_heard = async || {
        let before = heard.load(Ordering::Relaxed);
        eventually("a message is heard", Duration::from_secs(10), async || {
            let client = Client::open(server.url()).unwrap();
            let mut other = client.get_multiplexed_async_connection().await.ok()?;
            redis::cmd("PUBLISH").arg("idle").arg(1).query_async::<()>(&mut other).await.ok()?;
            (heard.load(Ordering::Relaxed) > before).then_some(())
        })
        .await;
    };
    // Nobody uses it meanwhile.
    let is_up = || matches!(redis.0.lock().state, State::Up(_));
    is_heard().await;
    server.kill();
    eventually("the outage is noticed", Duration::from_secs(5), async || (!is_up()).then_some(())).await;
    server.start_again();
    is_heard().await;
    eventually("it is connected again", Duration::from_secs(5), async || is_up().then_some(())).await;
    assert!(write(&redis).await, "the first command is served");
    shutdown.begin();
}
