//! `/health/live`, `/health/ready` and `/metrics` on every process.

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Deployment, Mode, Process, both_modes, eventually, http_client};

use crate::distributed_only::metric;

both_modes!(
    every_process_reports_its_health(own),
    metrics_count_requests_and_jobs(own),
    metrics_are_not_on_the_public_port,
    each_process_shows_its_pools_schedules_and_budgets(|setup| setup.paced("discord")),
    an_api_shows_what_its_caches_answer(own),
    a_closed_log_ends_no_process(own)
);

async fn fetch(url: String) -> (u16, String) {
    let response = http_client().get(&url).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

fn bases(deployment: &Deployment) -> Vec<String> {
    deployment.roles().all().map(|running| running.base.clone()).collect()
}

async fn metrics_are_not_on_the_public_port(deployment: &Deployment) {
    deployment.api().get("/metrics").await.refused(404, &[]);
    assert!(deployment.metrics(0).await.contains("# TYPE guildhall_"));
}

async fn each_process_shows_its_pools_schedules_and_budgets(deployment: &Deployment) {
    let pool = if deployment.mode() == Mode::Embedded { "writer" } else { "all" };
    let pool = format!("db_client_connection_pool_name=\"{pool}\"}}");
    let metrics: Vec<_> = deployment.roles().all().map(|running| running.metrics.clone()).collect();
    let mut all = String::new();
    for base in metrics {
        let text = fetch(format!("{base}/metrics")).await.1;
        for series in [
            format!("db_client_connection_count{{db_client_connection_state=\"idle\",{pool} "),
            format!("db_client_connection_max{{{pool} "),
            format!("db_client_connection_pending_requests{{{pool} "),
            "guildhall_schedule_lag_seconds{schedule=\"retention\"} ".to_owned(),
            "guildhall_jobs_running{class=\"bulk\"} 0".to_owned(),
            "guildhall_platform_budget_max{platform=\"chat\"} ".to_owned(),
            "guildhall_platform_budget_left{priority=\"bulk\",platform=\"play\"} ".to_owned(),
            "guildhall_platform_paused_seconds{platform=\"chat\"} 0".to_owned(),
            "guildhall_platform_refusals{platform=\"chat\"} 0".to_owned(),
        ] {
            assert!(text.contains(&series), "{base}: no {series} in {text}");
        }
        all.push_str(&text);
    }
    // Of who rescues, before there was anything to rescue.
    for kind in ["sync_member", "periodic_task"] {
        let series = format!("guildhall_jobs_rescued_total{{kind=\"{kind}\"}} 0");
        assert!(all.contains(&series), "no {series} in {all}");
    }
}

async fn an_api_shows_what_its_caches_answer(deployment: &Deployment) {
    let before = deployment.metrics(0).await;
    for series in [
        "guildhall_live_sockets 0",
        "guildhall_cache_hits_total{cache=\"moderation\"} 0",
        "guildhall_cache_misses_total{cache=\"flags\"} 0",
        "guildhall_cache_entries{cache=\"links\"} 0",
        "guildhall_cache_bytes{cache=\"members\"} 0",
    ] {
        assert!(before.contains(series), "no {series} in {before}");
    }
    let check =
        format!("/moderation/{}/ban-status/{}", deployment.guild().id, deployment.guild().lacking().chat);
    eventually("a check is answered from memory", STOPS_WITHIN, async || {
        deployment.api().get(&check).await.ok();
        deployment
            .metrics(0)
            .await
            .contains("guildhall_cache_hits_total{cache=\"moderation\"} 1")
            .then_some(())
    })
    .await;
    // The second tick finds its server's commands and its players in memory.
    let hits = async |cache: &str| {
        metric(deployment, &format!("guildhall_cache_hits_total{{cache=\"{cache}\"}}")).await.unwrap()
    };
    let tick = async |sequence: i64| {
        let tick = json!({ "server_id": "s1", "place_id": 71, "universe_id": 72, "sequence": sequence, "players": [1] });
        deployment.api().post("/play/servers/tick", tick).await.ok();
        [hits("commands").await, hits("moderation").await]
    };
    let [first, second] = [tick(1).await, tick(2).await];
    assert!(second[0] > first[0] && second[1] > first[1], "{first:?} {second:?}");
    eventually("the key is counted", STOPS_WITHIN, async || {
        let metrics = deployment.metrics(0).await;
        (!metrics.contains("guildhall_cache_entries{cache=\"keys\"} 0")).then_some(())
    })
    .await;
}

async fn every_process_reports_its_health(deployment: &Deployment) {
    let bases = bases(deployment);
    assert_eq!(bases.len(), if deployment.mode() == Mode::Embedded { 1 } else { 3 });
    for base in bases {
        assert_eq!(fetch(format!("{base}/health/live")).await.0, 200);
        let (status, body) = fetch(format!("{base}/health/ready")).await;
        let report: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(
            (status, &report["status"], &report["dependencies"]["database"]),
            (200, &json!("ready"), &json!("ok"))
        );
        if deployment.mode() == Mode::Distributed {
            let others = (&report["dependencies"]["redis"], &report["dependencies"]["broker"]);
            assert_eq!(others, (&json!("ok"), &json!("ok")), "{base}");
        }
    }
}

/// The grace of a shutdown, and a reserve.
const STOPS_WITHIN: Duration = Duration::from_secs(60);
async fn metrics_count_requests_and_jobs(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    api.post("/interactions/sync", json!({ "user_id": guild.lacking().chat })).await.ok();
    api.get("/bindings/list").await.ok();
    let mut all = String::new();
    let metrics = deployment.roles().all().map(|running| running.metrics.clone()).collect::<Vec<_>>();
    for base in metrics {
        let (status, text) = fetch(format!("{base}/metrics")).await;
        assert_eq!(status, 200);
        // Of any process, whoever leads.
        assert!(text.contains(r#"guildhall_jobs_queued{class="interactive"} 0"#), "{base}: {text}");
        all.push_str(&text);
    }
    // HTTP metrics carry the route, never the path; job metrics carry kind and outcome.
    let jobs = r#"messaging_destination_name="interactive",kind="sync_member",outcome="succeeded"} 1"#;
    for wanted in ["/bindings/list", "/interactions/sync", jobs, "guildhall_jobs_oldest_seconds"] {
        assert!(all.contains(wanted), "no {wanted} in {all}");
    }
    for secret in [&guild.admin_key[12..], &guild.lacking().chat, &guild.lacking().name, "test-token"] {
        assert!(!all.contains(secret), "metrics show {secret}");
    }
}

async fn a_closed_log_ends_no_process(deployment: &Deployment) {
    let roles: &[&str] =
        if deployment.mode() == Mode::Embedded { &["serve"] } else { &["api", "worker", "scheduler"] };
    if deployment.mode() == Mode::Embedded {
        // Its data folder admits one.
        let mut serve = deployment.roles().apis.remove(0);
        serve.process.terminate();
        serve.process.ended(STOPS_WITHIN).await;
    }
    for role in roles {
        let mut running = deployment.spawn_by(Process::spawn_unheard, role, &[("RUST_LOG", "debug")]);
        eventually(&format!("{role} is ready"), STOPS_WITHIN, async || {
            assert_eq!(running.process.has_ended(), None, "{role}");
            let ready = http_client().get(format!("{}/health/ready", running.base)).send().await.ok()?;
            ready.status().is_success().then_some(())
        })
        .await;
        running.process.terminate();
        assert!(running.process.ended(STOPS_WITHIN).await.success(), "{role}");
    }
}
