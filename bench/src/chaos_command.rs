//! `bench chaos`: prints the report, and fails with it.

use std::process::exit;

use bench::chaos::{self, Plan};

pub(crate) async fn run(plan: &Plan) -> anyhow::Result<()> {
    let report = chaos::run(plan).await?;
    print!("{report}");
    if !report.is_sound() {
        exit(1);
    }
    Ok(())
}
