//! One broker that is hurt again and again, and the jobs that live through it.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use lapin::options::{ExchangeDeleteOptions, QueueDeclareOptions, QueueDeleteOptions};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, ConnectionProperties};

use super::calls::Felt;
use super::orders::{Orders, PATIENCE};
use crate::harness::{Mode, PrivateServer, Servers, Setup, World, eventually, http_client, run};

const CLASSES: [&str; 3] = ["interactive", "default", "bulk"];

fn on(broker: &PrivateServer) -> Setup {
    let servers = Servers { amqp: broker.url(), ..Servers::from_env() };
    Setup { servers: Some(servers), ..Setup::new(Mode::Distributed).members(120) }
}

struct Site<'a> {
    world: &'a World,
    orders: Orders<'a>,
}

impl<'a> Site<'a> {
    fn new(world: &'a World) -> Self {
        Self { world, orders: Orders::new(world) }
    }

    /// Jobs that the broker has and no worker takes: there is none.
    async fn jobs_in_the_broker(&self) -> HashSet<String> {
        let mut workers = std::mem::take(&mut self.world.roles().workers);
        workers.iter_mut().for_each(|worker| worker.process.kill());
        let jobs = self.orders.some(3).await;
        self.orders.published(&jobs).await;
        self.orders.assert_queued(&jobs).await;
        jobs
    }

    fn start_worker(&self) {
        let worker = self.world.spawn("worker");
        self.world.roles().workers.push(worker);
    }

    /// What was in the broker before and what came while it was away is all done, the first of it soon.
    async fn outage(
        &self,
        name: &str,
        hurt: impl FnOnce(),
        meanwhile: impl AsyncFnOnce() -> HashSet<String>,
        mend: impl FnOnce(),
    ) {
        self.world.forget_quotas().await;
        let before = self.jobs_in_the_broker().await;
        hurt();
        let during = self.orders.some(3).await;
        self.reports("down").await;
        self.orders.assert_queued(&during).await;
        let more = meanwhile().await;
        // It starts without a broker, too.
        self.start_worker();
        mend();
        let back = Instant::now();
        let first = self.orders.first_done(&during, back).await;
        println!("outage {name}: first job done {first:.1?} after the broker's return");
        for jobs in [&before, &during, &more] {
            self.orders.all_done(jobs).await;
        }
        self.reports("ok").await;
    }

    /// A fault that the processes mend by themselves.
    async fn fault(&self, name: &str, hurt: impl AsyncFnOnce()) {
        self.world.forget_quotas().await;
        let before = self.jobs_in_the_broker().await;
        hurt().await;
        self.start_worker();
        let start = Instant::now();
        let after = self.orders.some(3).await;
        let first = self.orders.first_done(&after, start).await;
        println!("fault {name}: first job done after {first:.1?}");
        self.orders.all_done(&before).await;
        self.orders.all_done(&after).await;
    }

    /// The API says what it has of its broker, and serves in any case.
    async fn reports(&self, state: &str) {
        let url = format!("{}/health/ready", self.world.roles().api_base(0));
        eventually(&format!("the API reports its broker as {state}"), PATIENCE, async || {
            let answer = http_client().get(&url).send().await.unwrap();
            let report: serde_json::Value = answer.json().await.unwrap();
            assert_eq!(report["status"], "ready", "{report}");
            (report["dependencies"]["broker"] == state).then_some(())
        })
        .await;
    }

    /// The age of the oldest job that no broker has, as a dashboard shows it.
    async fn outbox_age(&self, what: &str, holds: impl Fn(f64) -> bool) {
        let url = format!("{}/metrics", self.world.roles().api_base(0));
        eventually(what, PATIENCE, async || {
            let text = http_client().get(&url).send().await.unwrap().text().await.unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix("guildhall_outbox_age_seconds "));
            line.and_then(|number| number.parse().ok()).filter(|age| holds(*age)).map(drop)
        })
        .await;
    }
}

/// One test, because the broker takes its time to start.
#[test]
fn jobs_live_through_everything_that_can_befall_their_broker() {
    let broker = PrivateServer::start("rabbitmq", "broker-faults");
    run(on(&broker), async |world| {
        let site = Site::new(world);
        operators(&site, &broker).await;
        outages(&site, &broker).await;
        site.outbox_age("the outbox is seen to be empty", |age| age == 0.0).await;
        site.orders.assert_members_are_right().await;
    });
}

async fn outages(site: &Site<'_>, broker: &PrivateServer) {
    let before = Felt::by_callers(site.world, &site.orders).await;
    site.orders.all_done(&before.jobs).await;
    let while_it_is_away = async || {
        let during = Felt::by_callers(site.world, &site.orders).await;
        during.print_beside(&before);
        site.outbox_age("the outbox is seen to age", |age| age > 0.0).await;
        during.jobs
    };
    site.outage("restart", || broker.stop(), while_it_is_away, || broker.start_again()).await;
    site.outage("kill -9", || broker.kill(), nothing_more, || broker.start_again()).await;
    let wipe = || {
        broker.kill();
        broker.wipe();
    };
    site.outage("data wiped", wipe, nothing_more, || broker.start_again()).await;
    let alarm = || broker.ctl(&["set_vm_memory_high_watermark", "0.00001"]);
    let relief = || broker.ctl(&["set_vm_memory_high_watermark", "absolute", "1GB"]);
    site.outage("alarm", alarm, nothing_more, relief).await;
}

async fn nothing_more() -> HashSet<String> {
    HashSet::new()
}

async fn operators(site: &Site<'_>, broker: &PrivateServer) {
    let close = || broker.ctl(&["close_all_connections", "by an operator"]);
    site.fault("connections closed", async || close()).await;
    let connection = Connection::connect(&broker.url(), ConnectionProperties::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    let queues = queues(site.world);
    site.fault("queues deleted", async || delete(&queues, &channel).await).await;
    site.fault("queues made otherwise", async || {
        delete(&queues, &channel).await;
        for queue in &queues {
            let options = QueueDeclareOptions::durable();
            channel.queue_declare(queue.as_str().into(), options, FieldTable::default()).await.unwrap();
        }
    })
    .await;
    // Under their consumers, with no job to come that would show it: they find out by themselves, and what is made
    // anew is as it should be.
    delete(&queues, &channel).await;
    eventually("the queues are there again", Duration::from_secs(30), async || {
        let asked = connection.create_channel().await.unwrap();
        let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        for queue in &queues {
            asked.queue_declare(queue.as_str().into(), options, FieldTable::default()).await.ok()?;
        }
        Some(())
    })
    .await;
    site.fault("exchange deleted", async || {
        let exchange = format!("{}.jobs.v1", site.world.prefix());
        channel.exchange_delete(exchange.into(), ExchangeDeleteOptions::default()).await.unwrap();
    })
    .await;
}

fn queues(world: &World) -> [String; 3] {
    CLASSES.map(|class| format!("{}.jobs.{class}.v1", world.prefix()))
}

async fn delete(queues: &[String], channel: &Channel) {
    for queue in queues {
        channel.queue_delete(queue.as_str().into(), QueueDeleteOptions::default()).await.unwrap();
    }
}
