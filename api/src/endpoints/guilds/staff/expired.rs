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

impl Expired {
    pub(crate) fn of<Row>(rows: &[Row]) -> Self {
        Self { expired: rows.len() }
    }
}

/// Repeats a sweep of one batch, which returns the rows that it closed, until it closes none.
pub(crate) async fn sweep_all<Row, F>(sweep: impl Fn() -> F) -> Result<Vec<Row>, DbErr>
where
    F: Future<Output = Result<Vec<Row>, DbErr>>,
{
    let mut expired = Vec::new();
    loop {
        let closed = sweep().await?;
        if closed.is_empty() {
            return Ok(expired);
        }
        expired.extend(closed);
    }
}
