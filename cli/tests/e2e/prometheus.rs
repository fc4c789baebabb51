//! A real Prometheus scrapes every process, as `OpenMetrics`.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use testkit::{Deployment, both_modes, eventually_ok, free_address, http_client};

both_modes!(a_prometheus_reads_every_process(own));

const WITHIN: Duration = Duration::from_secs(60);

async fn a_prometheus_reads_every_process(deployment: &Deployment) {
    deployment.api().get("/bindings/list").await.ok();
    let targets: Vec<_> =
        deployment.roles().all().map(|running| running.metrics.replace("http://", "")).collect();
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
        let global = json!({ "scrape_interval": "2s", "scrape_timeout": "2s" });
        std::fs::write(&file, json!({ "global": global, "scrape_configs": [scrape] }).to_string()).unwrap();
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
