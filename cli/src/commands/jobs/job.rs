//! What commands about single jobs share: arguments, finding a job, the time left.

use anyhow::Context as _;
use chrono::TimeDelta;
use entities::job::{Model, listing};
use entities::{JobId, Timestamp};
use sea_orm::ConnectionTrait;

use crate::operator::OperatorArgs;
use crate::{duration, fields, output};

#[derive(clap::Args)]
pub(crate) struct JobArgs {
    /// The job's id
    #[arg(value_name = "JOB_ID", value_parser = fields::job_id)]
    pub(super) job: JobId,
    #[command(flatten)]
    pub(super) operator: OperatorArgs,
}

pub(super) fn kind(word: &str) -> Result<&'static str, String> {
    fields::one_of(word, "kinds", jobs::kinds::ALL.iter().map(|(kind, _)| *kind))
}

pub(super) async fn require<C: ConnectionTrait>(conn: &C, job: JobId) -> anyhow::Result<Model> {
    listing::find_any(conn, job).await?.with_context(|| format!("there is no job {job}"))
}

/// The time until the job ends at its speed so far: `3 min`.
pub(super) fn ready_in(job: &Model, now: Timestamp) -> String {
    let left = queue::eta(job, now).and_then(|left| TimeDelta::from_std(left).ok());
    output::or_dash(left.map(duration::approximate))
}
