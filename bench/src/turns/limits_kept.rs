//! Whether the platforms' limits were kept during a measurement.

use testkit::Deployment;

use crate::figures::{Figures, Target};

pub(super) async fn measure(deployment: &Deployment, figures: &mut Figures) {
    let stats = deployment.simulator.stats().await;
    let number = |name: &str| stats[name].as_f64().unwrap_or(0.0);
    figures.check("most chat requests in any second", number("max_per_second"), Target::AtMost(50.0));
    figures.check("refused for their rate", number("rate_limited"), Target::AtMost(0.0));
}
