//! One job at a time on an idle system: from the commit to the start of its run, and the latency of a waiting caller.

use std::time::{Duration, Instant};

use queue::Answer;

use crate::fixture::{Fixture, Mode, draft};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, value_enum, default_value = "distributed")]
    mode: Mode,
    #[arg(long, default_value_t = 500)]
    jobs: usize,
}

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let fixture = Fixture::start(arguments.mode, 1).await?;
    fixture.work(1).await?;
    let mut starts = Vec::new();
    let mut calls = Vec::new();
    for round in 0..arguments.jobs + 20 {
        let began = Instant::now();
        let transaction = fixture.context.database.begin().await?;
        let enqueued = draft(0)?.enqueue(&transaction, fixture.context.clock.now()).await?;
        transaction.commit().await?;
        let committed = fixture.context.clock.now().timestamp_micros();
        let answer = fixture.queue.call(enqueued, Duration::from_secs(10)).await?;
        let Some(Answer::Succeeded(result)) = answer else { anyhow::bail!("no answer: {answer:?}") };
        if round >= 20 {
            calls.push(began.elapsed());
            let started = result["started"].as_i64().unwrap_or_default();
            starts.push(Duration::from_micros(u64::try_from(started - committed).unwrap_or(0)));
        }
    }
    print("commit to start", &mut starts);
    print("caller's whole wait", &mut calls);
    Ok(())
}

fn print(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    println!("{what}: p50 {:.2?}, p90 {:.2?}, p99 {:.2?}, max {:.2?}", at(50), at(90), at(99), at(100));
}
