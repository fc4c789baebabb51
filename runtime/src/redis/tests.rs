use super::*;

/// The Redis of this test run under a prefix of its own, or `None` with a line that says the test was skipped.
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
async fn a_redis_that_never_answers_costs_one_timeout_then_nothing() {
    // Answers the handshake of one connection, then falls silent: what a dead network looks like.
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
async fn a_redis_that_stalls_at_the_start_is_waited_for() {
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
    // It may die before it answers.
    let _ = kill.query_async::<()>(&mut connection).await;
    assert!(!redis.ping().await, "the connection was killed");
    let back = async {
        while !redis.ping().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), back).await.expect("reconnects");
}

/// A Redis of the test's own.
struct Private {
    child: std::process::Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Private {
    async fn start() -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new("redis-server");
        command.args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            // A replica writes what it copies.
            "--dir",
            &folder.path().display().to_string(),
        ]);
        let child = command.stdout(std::process::Stdio::null()).spawn().expect("redis-server is installed");
        let private = Self { child, port, _folder: folder };
        let up = async {
            while Redis::connect(&private.url(), "up").await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), up).await.expect("it starts");
        private
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Says `REPLICAOF` over a connection of its own.
    async fn replica_of(&self, host: &str, port: &str) {
        let client = Client::open(self.url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        redis::cmd("REPLICAOF").arg(host).arg(port).query_async::<()>(&mut connection).await.unwrap();
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

async fn write(redis: &Redis) -> bool {
    let Ok(mut connection) = redis.connection().await else { return false };
    redis::cmd("SET").arg(redis.key("written")).arg(1).query_async::<()>(&mut connection).await.is_ok()
}

#[tokio::test]
async fn a_primary_that_became_a_replica_is_left_and_dialed_anew() {
    if std::env::var("GUILDHALL_TEST_REDIS_URL").is_err() {
        eprintln!("skipped a_primary_that_became_a_replica_is_left_and_dialed_anew: no servers for tests");
        return;
    }
    let (one, other) = (Private::start().await, Private::start().await);
    let redis = Redis::connect(&one.url(), "test").await.unwrap();
    assert!(write(&redis).await);
    one.replica_of("127.0.0.1", &other.port.to_string()).await;
    assert!(!write(&redis).await, "a replica takes no writes");
    // It answers, but it is not what is looked for.
    let down = async {
        while redis.ping().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), down).await.expect("it is left");
    assert!(Redis::connect(&one.url(), "test").await.is_err(), "nor is it accepted at a start");
    one.replica_of("NO", "ONE").await;
    let back = async {
        while !write(&redis).await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), back).await.expect("it is used again");
}
