//! A real Prometheus scrapes every process, as `OpenMetrics`, and its alerts fire. `deploy/prometheus/drill` fires all of them.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use testkit::{Deployment, both_modes, eventually, eventually_ok, free_address, http_client};

both_modes!(a_prometheus_reads_every_process(own), a_platform_that_refuses_the_credential_is_an_alert(own));

mod gateways {
    use testkit::{Deployment, distributed_only};

    use super::{Prometheus, WITHIN, targets};

    distributed_only!(the_end_of_the_last_gateway_is_an_alert(crate::gateway::reading));

    async fn the_end_of_the_last_gateway_is_an_alert(deployment: &Deployment) {
        let prometheus = Prometheus::start(&targets(deployment));
        prometheus.until("GuildhallNoGateway", false).await;
        prometheus.until_scraped("guildhall_processes{role=\"gateway\"} > 0").await;
        let doctor = deployment.command(&["doctor"]).await.stdout;
        assert!(doctor.contains("1 scheduler, 1 gateway"), "{doctor}");
        let gateways: Vec<_> = deployment.roles().gateways.drain(..).collect();
        for mut gateway in gateways {
            gateway.process.terminate();
            assert!(gateway.process.ended(WITHIN).await.success(), "{}", gateway.process.log());
        }
        prometheus.until("GuildhallNoGateway", true).await;
        let gateway = deployment.spawn("gateway");
        deployment.roles().gateways.push(gateway);
        prometheus.until("GuildhallNoGateway", false).await;
    }
}

const WITHIN: Duration = Duration::from_secs(60);

async fn a_prometheus_reads_every_process(deployment: &Deployment) {
    deployment.api().get("/bindings/list").await.ok();
    let targets = targets(deployment);
    let prometheus = Prometheus::start(&targets);
    eventually_ok("every process is scraped", WITHIN, async || {
        let found = prometheus.get("targets?state=active").await.ok_or("no answer")?;
        let found = found["activeTargets"].as_array().cloned().unwrap_or_default();
        let up = found.iter().filter(|target| target["health"] == "up").count();
        if up == targets.len() { Ok(()) } else { Err(json!(found).to_string()) }
    })
    .await;
    // Only OpenMetrics says the unit.
    for (metric, unit) in
        [("http_server_request_duration_seconds", "seconds"), ("guildhall_cache_bytes", "bytes")]
    {
        let found = prometheus.get(&format!("targets/metadata?metric={metric}")).await.unwrap();
        assert_eq!(found[0]["unit"], unit, "{found}");
    }
}

async fn a_platform_that_refuses_the_credential_is_an_alert(deployment: &Deployment) {
    let prometheus = Prometheus::start(&targets(deployment));
    prometheus.until("GuildhallCredentialRefused", false).await;
    let member = json!({ "user_id": deployment.guild().lacking().chat });
    let api = deployment.api().header("prefer", "respond-async");
    deployment.fault(json!({ "route": "*", "status": 401, "count": 1000 })).await;
    api.post("/interactions/sync", member.clone()).await;
    prometheus.until("GuildhallCredentialRefused", true).await;
    deployment.clear_faults().await;
    api.post("/interactions/sync", member).await;
    prometheus.until("GuildhallCredentialRefused", false).await;
}

fn targets(deployment: &Deployment) -> Vec<String> {
    deployment.roles().all().map(|running| running.metrics.replace("http://", "")).collect()
}

/// The alerts with shorter waits.
fn rules() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/prometheus/alerts.yaml");
    let alerts = std::fs::read_to_string(file).unwrap();
    let hastened = alerts.lines().map(|line| match line.split_once("for: ") {
        Some((indent, _)) if indent.trim().is_empty() => format!("{indent}for: 2s\n"),
        _ => format!("{line}\n"),
    });
    hastened.collect()
}

/// Ends with the value.
struct Prometheus {
    child: Child,
    address: String,
    _folder: TempDir,
}

impl Prometheus {
    /// Debian's package `prometheus`, which `./test` installs.
    fn start(targets: &[String]) -> Self {
        let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
        let file = folder.path().join("prometheus.yml");
        let scrape = json!({ "job_name": "guildhall", "static_configs": [{ "targets": targets }] });
        let every = "2s";
        let global =
            json!({ "scrape_interval": every, "scrape_timeout": every, "evaluation_interval": every });
        let config = json!({ "global": global, "rule_files": ["alerts.yaml"], "scrape_configs": [scrape] });
        std::fs::write(&file, config.to_string()).unwrap();
        std::fs::write(folder.path().join("alerts.yaml"), rules()).unwrap();
        let child = Command::new("prometheus")
            .arg(argument("--config.file", &file))
            .arg(argument("--storage.tsdb.path", &folder.path().join("data")))
            .arg(format!("--web.listen-address={address}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("no prometheus: `deploy/services promtool` installs it");
        Self { child, address, _folder: folder }
    }

    /// The data of an answer of its API.
    async fn get(&self, path: &str) -> Option<Value> {
        let url = format!("http://{}/api/v1/{path}", self.address);
        let mut answer: Value = http_client().get(url).send().await.ok()?.json().await.ok()?;
        Some(answer["data"].take())
    }

    /// Waits until the alert fires, or is gone.
    async fn until(&self, alert: &str, fires: bool) {
        eventually_ok(&format!("{alert} fires: {fires}"), WITHIN, async || {
            let found = self.get("alerts").await.ok_or("no answer")?;
            let all = found["alerts"].as_array().ok_or("no alerts")?;
            let its: Vec<_> = all.iter().filter(|one| one["labels"]["alertname"] == alert).collect();
            let is_so = if fires { its.iter().any(|one| one["state"] == "firing") } else { its.is_empty() };
            if is_so { Ok(()) } else { Err(found.to_string()) }
        })
        .await;
    }

    /// Waits until the query has a result.
    async fn until_scraped(&self, query: &str) {
        eventually(query, WITHIN, async || {
            let url = format!("http://{}/api/v1/query", self.address);
            let asked = http_client().get(url).query(&[("query", query)]);
            let answer: Value = asked.send().await.ok()?.json().await.ok()?;
            let found = answer["data"]["result"].as_array()?;
            (!found.is_empty()).then_some(())
        })
        .await;
    }
}

fn argument(name: &str, path: &Path) -> String {
    format!("{name}={}", path.display())
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
