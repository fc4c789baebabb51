//! PATCH /guilds/:guildId/staff/loa/:loaId

use entities::loa::{self, Model, Status};
use entities::{LoaId, Timestamp};

use crate::endpoints::audit;
use crate::endpoints::guilds::staff::loa::record::{Loa, check_span, written};
use crate::endpoints::prelude::*;
use crate::request::moment::{End, Moment};

request! {
    pub(crate) struct LoaPatch {
        #[example("2099-05-01T00:00:00Z")]
        starts_at: Patch<Moment>,
        #[example("2099-05-15T00:00:00Z")]
        ends_at: Patch<End>,
        #[example("exams")]
        reason: Patch<Text>,
        status: Patch<Status>,
    }
}

impl LoaPatch {
    fn applied_to(self, loa: Model, now: Timestamp) -> Model {
        let ends_at = self.ends_at.0.map_or(loa.ends_at, |end| end.0);
        let prolonged = ends_at != loa.ends_at && ends_at > now;
        let status = self.status.0.unwrap_or(if prolonged { Status::Active } else { loa.status });
        let mut loa = Model {
            starts_at: self.starts_at.0.map_or(loa.starts_at, |moment| moment.0),
            ends_at,
            reason: self.reason.0.map_or(loa.reason, |text| text.0),
            ..loa
        };
        loa.set_status(status, now);
        loa
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateLoa", "Change a leave of absence")
        .about(
            "At least one field; the others stay. An expired leave that is given an end in the future becomes active \
             again. One that is set to `expired` before its end counts as leave until that moment, and keeps its `ends_at`: \
             set to `active`, it goes on.",
        )
        .body::<LoaPatch>()
        .message("leave of absence updated")
        .refuses(409, &["loa_overlaps"])
        .refuses(422, &["ends_before_start"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: LoaId = call.path("loaId")?;
    let patch: LoaPatch = call.patch()?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = loa::find_for_update(work.tx(), call.guild(), id).await?.or_not_found("leave of absence")?;
    call.caller.decides_about(before.staff_id)?;
    let after = patch.applied_to(before.clone(), work.now());
    check_span(after.starts_at, after.ends_at)?;
    let shown = |row| Loa::new(row, work.now());
    let Some(changes) = audit::changes_about(before.staff_id, &shown(&before), &shown(&after))? else {
        return Ok(Reply::message("nothing to change: the leave of absence is like that already"));
    };
    written(loa::save(work.tx(), &after, work.now()).await?)?;
    work.audit("loa.update", id, changes);
    work.commit(Reply::message("leave of absence updated")).await
}
