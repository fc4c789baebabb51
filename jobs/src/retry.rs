//! Retries a job of this product, for guilds and operators alike: a sync of all members uses its quota again.

use entities::Timestamp;
use entities::bulk_sync::Standing;
use entities::job::Model;
use runtime::Transaction;
use sea_orm::DbErr;

use crate::bulk_sync::Rerun;

/// The result of a retry. [`queue::Retry::OverQuota`]: the job is a sync of all members, and the guild's quota of those
/// is used up (docs/rules.md 3).
pub type Retry = queue::Retry<Standing>;

/// See [`queue::retry`].
pub async fn retry(transaction: &Transaction, job: &Model, now: Timestamp) -> Result<Retry, DbErr> {
    queue::retry(transaction, job, Rerun::default(), now).await
}
