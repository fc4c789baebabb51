//! Shared by the endpoints that expire leaves and strikes: the scheduled sweep, run now and for one guild.

use sea_orm::DbErr;
use serde::Serialize;
use utoipa::ToSchema;

/// Rows that one statement of a sweep closes.
pub(crate) const BATCH: u64 = 500;

#[derive(Serialize, ToSchema)]
pub(crate) struct Expired {
    /// How many this request closed.
    #[schema(example = 2)]
    expired: usize,
}

/// Repeats a sweep of one batch, which returns how many rows it closed, until it closes none.
pub(crate) async fn sweep_all<F>(sweep: impl Fn() -> F) -> Result<Expired, DbErr>
where
    F: Future<Output = Result<usize, DbErr>>,
{
    let mut expired = 0;
    loop {
        let closed = sweep().await?;
        if closed == 0 {
            return Ok(Expired { expired });
        }
        expired += closed;
    }
}
