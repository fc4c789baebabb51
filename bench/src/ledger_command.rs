//! `bench ledger`: prints the report, and fails with it.

use std::process::exit;

use bench::ledger::{self, Plan};

pub(crate) async fn run(plan: &Plan) -> anyhow::Result<()> {
    let report = ledger::run(plan).await?;
    print!("{report}");
    if !report.is_sound() {
        exit(1);
    }
    Ok(())
}
