//! A process that is asked to stop first waits for load balancers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::Client;
use testkit::{Deployment, Mode, Setup, both_modes, eventually, http_client, run};

const NOTICE: &str = "2";

both_modes!(a_process_that_stops_is_not_ready_first_and_answers_meanwhile(
    |setup| setup.env("GUILDHALL_STOP_NOTICE", super::NOTICE)
));

async fn a_process_that_stops_is_not_ready_first_and_answers_meanwhile(deployment: &Deployment) {
    let (base, path) =
        (deployment.api_base(0), format!("/moderation/{}/ban-status/77", deployment.guild().id));
    let (client, api) = (http_client(), deployment.api());
    // The first call also reads the contract, which takes longer than the notice where others compute.
    api.get(&path).await.ok();
    let began = Instant::now();
    deployment.roles().apis[0].process.terminate();
    eventually("it is not ready", Duration::from_secs(2), async || {
        (!is_ready(&client, &base).await).then_some(())
    })
    .await;
    let answer = api.get(&path).await;
    assert_eq!(answer.header("connection"), Some("close"));
    answer.ok();
    let mut process = deployment.roles().apis.remove(0).process;
    assert!(process.ended(Duration::from_secs(30)).await.success());
    assert!(began.elapsed() >= Duration::from_secs(2), "it did not wait: {:?}", began.elapsed());
}

async fn is_ready(client: &Client, base: &str) -> bool {
    let asked = client.get(format!("{base}/health/ready")).send().await;
    asked.is_ok_and(|answer| answer.status().is_success())
}

/// 200 requests a second through a balancer that asks for readiness ten times a second.
#[test]
fn nothing_fails_while_one_of_two_processes_stops() {
    let setup = Setup::new(Mode::Distributed).processes(2).env("GUILDHALL_STOP_NOTICE", NOTICE);
    run(setup, async |deployment| {
        let bases = [deployment.api_base(0), deployment.api_base(1)];
        let key = &deployment.guild().admin_key;
        let path = format!("/moderation/{}/ban-status/77", deployment.guild().id);
        deployment.execute("UPDATE api_key SET hot_path_factor = 100").await;
        let (client, first_ready) = (http_client(), AtomicBool::new(true));
        let balance = async {
            let mut turn = tokio::time::interval(Duration::from_millis(100));
            loop {
                turn.tick().await;
                let ready = is_ready(&client, &bases[0]).await;
                first_ready.store(ready, Ordering::Relaxed);
            }
        };
        let ask = async {
            let mut turn = tokio::time::interval(Duration::from_millis(5));
            let mut answered = 0;
            for n in 0..1_000 {
                turn.tick().await;
                if n == 200 {
                    deployment.roles().apis[0].process.terminate();
                }
                let both = first_ready.load(Ordering::Relaxed);
                let base = if both { &bases[n % 2] } else { &bases[1] };
                let answer = client.get(format!("{base}{path}")).header("x-api-key", key).send().await;
                answered += u32::from(answer.is_ok_and(|answer| answer.status() == 200));
            }
            answered
        };
        tokio::select! {
            answered = ask => assert_eq!(answered, 1_000),
            () = balance => {}
        }
        let mut process = deployment.roles().apis.remove(0).process;
        assert!(process.ended(Duration::from_secs(30)).await.success());
    });
}
