//! Outages and faults of one broker, one after the other.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use lapin::options::{ExchangeDeleteOptions, QueueDeclareOptions, QueueDeleteOptions};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, ConnectionProperties};

use super::calls::Felt;
use super::orders::{Orders, WAIT_LIMIT};
use testkit::{
    Deployment, JobClass, Mode, PrivateServer, Servers, Setup, eventually, http_client, job_queue, run,
};

fn on(broker: &PrivateServer) -> Setup {
    let servers = Servers { amqp: broker.url(), ..Servers::from_env() };
    Setup { servers: Some(servers), ..Setup::new(Mode::Distributed).members(120) }
}

struct Broken<'a> {
    deployment: &'a Deployment,
    orders: Orders<'a>,
    /// The broker's URL.
    url: String,
}

impl<'a> Broken<'a> {
    fn new(deployment: &'a Deployment, broker: &PrivateServer) -> Self {
        Self { deployment, orders: Orders::new(deployment), url: broker.url() }
    }

    /// Kills the workers and enqueues jobs until the broker holds messages of some of them.
    async fn jobs_in_the_broker(&self) -> HashSet<String> {
        let mut workers = std::mem::take(&mut self.deployment.roles().workers);
        workers.iter_mut().for_each(|worker| worker.process.kill());
        self.reports("ok").await;
        let queue = job_queue(self.deployment.prefix(), JobClass::Interactive);
        let channel = connect(&self.url).await;
        let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        let mut jobs = HashSet::new();
        // Jobs enqueued while the API reconnects, or while the broker confirms too slowly, have no message.
        eventually("the broker has messages", WAIT_LIMIT, async || {
            jobs.extend(self.orders.some(1).await);
            let asked = channel.queue_declare(queue.as_str().into(), options, FieldTable::default());
            (asked.await.unwrap().message_count() >= 3).then_some(())
        })
        .await;
        self.orders.assert_queued(&jobs).await;
        jobs
    }

    fn start_worker(&self) {
        let worker = self.deployment.spawn("worker");
        self.deployment.roles().workers.push(worker);
    }

    /// During an outage workers run the jobs whose messages the broker held, and the jobs enqueued since.
    async fn outage(
        &self,
        name: &str,
        hurt: impl FnOnce(),
        meanwhile: impl AsyncFnOnce() -> HashSet<String>,
        mend: impl FnOnce(),
    ) {
        self.orders.renew_keys().await;
        let before = self.jobs_in_the_broker().await;
        hurt();
        let during = self.orders.some(3).await;
        self.reports("down").await;
        self.orders.assert_queued(&during).await;
        // A worker starts without the broker.
        self.start_worker();
        let start = Instant::now();
        let first = self.orders.first_done(&during, start).await;
        println!("outage {name}: first job done {first:.1?} after the start of a worker, without the broker");
        self.orders.all_done(&before).await;
        self.orders.all_done(&during).await;
        let more = meanwhile().await;
        self.orders.all_done(&more).await;
        self.reports("down").await;
        mend();
        self.reports("ok").await;
        let after = self.orders.some(3).await;
        self.orders.all_done(&after).await;
    }

    /// A fault from which the processes recover by themselves.
    async fn fault(&self, name: &str, hurt: impl AsyncFnOnce()) {
        self.orders.renew_keys().await;
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

    /// Waits until the API reports this state of the broker; it is ready in any case.
    async fn reports(&self, state: &str) {
        let url = format!("{}/health/ready", self.deployment.api_base(0));
        eventually(&format!("the API reports its broker as {state}"), WAIT_LIMIT, async || {
            let answer = http_client().get(&url).send().await.unwrap();
            let report: serde_json::Value = answer.json().await.unwrap();
            assert_eq!(report["status"], "ready", "{report}");
            (report["dependencies"]["broker"] == state).then_some(())
        })
        .await;
    }
}

async fn connect(url: &str) -> Channel {
    let connection = Connection::connect(url, ConnectionProperties::default()).await.unwrap();
    connection.create_channel().await.unwrap()
}

/// One test, because the broker takes its time to start.
#[test]
fn jobs_survive_outages_and_faults_of_the_broker() {
    let broker = PrivateServer::start("rabbitmq", "broker-faults");
    run(on(&broker), async |deployment| {
        let broken = Broken::new(deployment, &broker);
        operators(&broken, &broker).await;
        outages(&broken, &broker).await;
        broken.orders.assert_members_are_right().await;
    });
}

async fn outages(broken: &Broken<'_>, broker: &PrivateServer) {
    let before = Felt::by_callers(broken.deployment, &broken.orders).await;
    broken.orders.all_done(&before.jobs).await;
    let while_it_is_away = async || {
        let during = Felt::by_callers(broken.deployment, &broken.orders).await;
        during.print_beside(&before);
        during.jobs
    };
    broken.outage("restart", || broker.stop(), while_it_is_away, || broker.start_again()).await;
    broken.outage("kill -9", || broker.kill(), nothing_more, || broker.start_again()).await;
    let wipe = || {
        broker.kill();
        broker.wipe();
    };
    broken.outage("data wiped", wipe, nothing_more, || broker.start_again()).await;
    let alarm = || broker.ctl(&["set_vm_memory_high_watermark", "0.00001"]);
    let relief = || broker.ctl(&["set_vm_memory_high_watermark", "absolute", "1GB"]);
    broken.outage("alarm", alarm, nothing_more, relief).await;
}

async fn nothing_more() -> HashSet<String> {
    HashSet::new()
}

async fn operators(broken: &Broken<'_>, broker: &PrivateServer) {
    let close = || broker.ctl(&["close_all_connections", "by an operator"]);
    broken.fault("connections closed", async || close()).await;
    let connection = Connection::connect(&broker.url(), ConnectionProperties::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    let queues = queues(broken.deployment);
    broken.fault("queues deleted", async || delete(&queues, &channel).await).await;
    broken
        .fault("queues made otherwise", async || {
            delete(&queues, &channel).await;
            for queue in &queues {
                let options = QueueDeclareOptions::durable();
                channel.queue_declare(queue.as_str().into(), options, FieldTable::default()).await.unwrap();
            }
        })
        .await;
    // The consumers detect deleted queues without a job, and declare them with the right options.
    delete(&queues, &channel).await;
    eventually("the queues exist again", Duration::from_secs(30), async || {
        let asked = connection.create_channel().await.unwrap();
        let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        for queue in &queues {
            asked.queue_declare(queue.as_str().into(), options, FieldTable::default()).await.ok()?;
        }
        Some(())
    })
    .await;
    broken
        .fault("exchange deleted", async || {
            let exchange = format!("{}.jobs.v2", broken.deployment.prefix());
            channel.exchange_delete(exchange.into(), ExchangeDeleteOptions::default()).await.unwrap();
        })
        .await;
}

fn queues(deployment: &Deployment) -> Vec<String> {
    JobClass::ALL.iter().map(|class| job_queue(deployment.prefix(), *class)).collect()
}

async fn delete(queues: &[String], channel: &Channel) {
    for queue in queues {
        channel.queue_delete(queue.as_str().into(), QueueDeleteOptions::default()).await.unwrap();
    }
}
