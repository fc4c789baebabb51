//! Tests with a Redis of their own: it is stopped, or its commands are counted.

use testkit::{PrivateServer, eventually, signal};

use super::*;

/// The test's own Redis, which can be stopped.
struct Private {
    server: PrivateServer,
    url: String,
}

impl Private {
    fn start(name: &str) -> Self {
        let server = PrivateServer::start("redis", name);
        Self { url: server.url(), server }
    }

    async fn pace(&self) -> SharedPace {
        SharedPace::new(Redis::connect(&self.url, "test").await.unwrap(), "chat")
    }

    async fn count(&self, command: &[&str]) -> i64 {
        let client = redis::Client::open(self.url.as_str()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let mut query = redis::cmd(command[0]);
        query.arg(&command[1..]);
        query.query_async(&mut connection).await.unwrap()
    }

    /// Permits without a reported end: they are taken for longer than a window.
    async fn held(&self) -> i64 {
        let script = "local time = redis.call('TIME') \
                      return redis.call('ZCOUNT', KEYS[1], (time[1] + 1.1) * 1000000 + time[2], '+inf')";
        self.count(&["EVAL", script, "1", "{test:pace:chat}:permits"]).await
    }

    /// Commands run so far, including those within scripts, and the microseconds spent in scripts.
    async fn spent(&self) -> (u64, u64) {
        let client = redis::Client::open(self.url.as_str()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let stats: String =
            redis::cmd("INFO").arg("commandstats").query_async(&mut connection).await.unwrap();
        let of = |line: &str, field| line.split_once(field)?.1.split(',').next()?.parse::<u64>().ok();
        let calls = stats.lines().filter_map(|line| of(line, "calls="));
        let scripts = stats.lines().filter(|line| line.starts_with("cmdstat_evalsha:"));
        (calls.sum(), scripts.filter_map(|line| of(line, "usec=")).sum())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_redis_leaks_no_permit() {
    let private = Private::start("pacing-stall");
    let process = private.server.redis_process();
    for stall in [Duration::from_millis(600), Duration::from_secs(2)] {
        let pacer = Pacer::new(rules("50"), Some(private.pace().await));
        pacer.acquire(ask(Interactive)).await.unwrap().finish(&heard()).await;
        // Requests and ends of both priorities meet the stall; some callers give up, some calls were sent.
        signal("-STOP", process);
        let calls = (0..40_i64).map(|n| {
            let pacer = pacer.clone();
            let priority = if n % 2 == 0 { Bulk } else { Interactive };
            let call = async move {
                let Ok(mut permit) = pacer.acquire(Ask { major: n, ..ask(priority) }).await else { return };
                if n % 3 > 0 {
                    permit.sending();
                    permit.finish(&heard()).await;
                }
            };
            let patience = if n % 5 == 0 { stall / 2 } else { Duration::from_secs(20) };
            tokio::spawn(tokio::time::timeout(patience, call))
        });
        let calls: Vec<_> = calls.collect();
        tokio::time::sleep(stall).await;
        signal("-CONT", process);
        for call in calls {
            let _ = call.await.unwrap();
        }
        // Long before the hold time of a vanished holder ends.
        let none_held = async || (private.held().await == 0).then_some(());
        eventually("no permit is held by nobody", Duration::from_secs(5), none_held).await;
    }
}

#[tokio::test]
async fn a_request_costs_the_same_with_10_and_10_000_waiting_guilds() {
    let private = Private::start("pacing-cost");
    let mut costs = Vec::new();
    for guilds in [10, 10_000] {
        let mut pace = private.pace().await;
        pace.base = format!("{{{guilds}}}");
        let mut now = 1_000 * SECOND;
        pace.now = Some(now);
        let of = |major| Ask { major, ..ask(Bulk) };
        let question = async |pace: &SharedPace, major| {
            if let Ok(permit) = asked(pace, "50", &of(major)).await {
                finish(pace, rules("50"), permit, &of(major), &heard()).await;
            }
        };
        for guild in 0..guilds {
            question(&pace, guild).await;
        }
        let before = private.spent().await;
        for n in 0..200 {
            now += SECOND / 5_000;
            pace.now = Some(now);
            question(&pace, n % guilds).await;
        }
        let after = private.spent().await;
        println!("{guilds} guilds: 200 questions took scripts {} µs", after.1 - before.1);
        costs.push(after.0 - before.0);
    }
    println!("commands within 200 questions: {costs:?}");
    assert!(costs[1] <= costs[0] * 11 / 10, "{costs:?}");
}
