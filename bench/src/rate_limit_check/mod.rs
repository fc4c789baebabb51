//! Checks that the platforms' rate limits are kept: bulk syncs at the real limits and several response times, the part
//! of the rate they use and whether they exceed it; then the requests after refusals, pauses and failures.

mod arguments;
mod faults;
mod pace;

use crate::figures::Figures;

pub use arguments::Arguments;

/// True if every target was met.
pub async fn run(arguments: &Arguments) -> bool {
    let mut figures = Figures::default();
    if !arguments.faults_only {
        for latency_ms in &arguments.latency_ms {
            pace::measure(arguments, *latency_ms, &mut figures).await;
        }
    }
    faults::measure(arguments, &mut figures).await;
    figures.conclude()
}
