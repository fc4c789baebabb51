//! The estimated time of a bulk sync, read every second through the API, compared with its real end.

use std::time::{Duration, Instant};

use crate::figures::Figures;
use testkit::{Deployment, Guild};

pub(crate) struct Watch<'a> {
    deployment: &'a Deployment,
    guild: &'a Guild,
    job: String,
}

struct Sample {
    at: Instant,
    part: f64,
    eta: Option<f64>,
}

/// Parts of the work at which the estimate is judged; between them the worst error is reported.
const PARTS: [f64; 3] = [0.1, 0.2, 0.5];
/// The estimate is in whole seconds, rounded up: shortly before the end that alone is a fifth.
const SHORTEST: f64 = 10.0;

impl<'a> Watch<'a> {
    pub(crate) async fn begin(deployment: &'a Deployment, guild: &'a Guild) -> Self {
        Self { deployment, guild, job: deployment.begin_sync_all(guild).await }
    }

    pub(crate) async fn judge(self, figures: &mut Figures) {
        let samples = self.follow().await;
        let ended = samples.last().map_or_else(Instant::now, |sample| sample.at);
        let ratio = |sample: &Sample| {
            let truth = ended.duration_since(sample.at).as_secs_f64();
            sample.eta.filter(|_| truth >= SHORTEST).map(|eta| eta / truth)
        };
        for part in PARTS {
            let found = samples.iter().find(|sample| sample.part >= part).and_then(ratio);
            let what = format!("estimate at {:.0} %, times the truth: off by", part * 100.0);
            figures.at_most(&what, found.map_or(f64::NAN, |ratio| (ratio - 1.0).abs()), 0.2);
        }
        let later = samples.iter().filter(|sample| sample.part >= PARTS[0]).filter_map(ratio);
        let worst = later.map(|ratio| (ratio - 1.0).abs()).fold(0.0, f64::max);
        figures.at_most("the worst estimate after the first tenth: off by", worst, 0.2);
    }

    /// Polls until the job has ended; the last sample is its end.
    async fn follow(&self) -> Vec<Sample> {
        let api = self.deployment.api_of(self.guild);
        let mut samples = Vec::new();
        loop {
            let job = api.get(&format!("/jobs/{}", self.job)).await.ok();
            let number = |name: &str| job["progress"][name].as_f64();
            let part = number("done").unwrap_or(0.0) / number("total").unwrap_or(0.0).max(1.0);
            samples.push(Sample { at: Instant::now(), part, eta: number("eta_seconds") });
            if !job["finished_at"].is_null() {
                assert_eq!(job["state"], "succeeded", "{job}");
                return samples;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}
