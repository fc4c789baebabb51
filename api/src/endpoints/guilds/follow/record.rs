//! How a guild follows the game platform, as the API shows it.

use entities::JobId;
use entities::follow::Model;

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct Follow from row: Model {
        /// Minutes from the end of a pass to the next one. 0: no pass starts; null: as often as the budget allows, less often
        /// while nothing changes.
        #[schema(required, minimum = 0, maximum = 10_080, example = 60)]
        every_minutes: Option<i32>,
        /// A pass that would take roles from more members stops, if they are more than 25.
        #[schema(minimum = 1, maximum = 100, example = 10)]
        brake_percent: i32,
        /// When the next pass starts, at the earliest; null: none does.
        #[schema(required)]
        next_at: Option<Seconds> = (!row.is_off() && row.stopped.is_none()).then_some(Seconds(row.due_at)),
        /// The pass that is under way.
        #[schema(required)]
        job_id: Option<JobId>,
        /// When the last pass ended.
        #[schema(required)]
        ended_at: Option<Seconds> = row.ended_at.map(Seconds),
        /// Members whom the last pass that succeeded changed.
        #[schema(minimum = 0, example = 3)]
        changed: i64,
        /// Why the last pass stopped; none follows until `POST …/follow/resume`.
        #[schema(required, example = "140 of 1000 members would lose a role, more than 100")]
        stopped: Option<String>,
    }
}

/// What its audit entries say of it.
#[derive(Serialize)]
pub(crate) struct Noted {
    every_minutes: Option<i32>,
    brake_percent: i32,
}

impl From<&Model> for Noted {
    fn from(row: &Model) -> Self {
        Self { every_minutes: row.every_minutes, brake_percent: row.brake_percent }
    }
}
