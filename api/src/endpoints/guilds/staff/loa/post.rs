//! POST /guilds/:guildId/staff/loa

use entities::loa::{self, NewLoa};
use entities::{ChatId, LoaId};

use crate::endpoints::guilds::staff::loa::record::{Loa, check_span, written};
use crate::endpoints::prelude::*;
use crate::request::moment::{End, Moment};

request! {
    pub(crate) struct LoaRequest {
        staff_id: ChatId,
        #[example("2099-05-01T00:00:00Z")]
        starts_at: Moment,
        #[example("2099-05-15T00:00:00Z")]
        ends_at: End,
        #[example("exams")]
        reason: Text,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createLoa", "Add a leave of absence")
        .body::<LoaRequest>()
        .data::<Created<LoaId>>()
        .message("leave of absence added")
        .refuses(404, &["not_found"])
        .refuses(409, &["loa_overlaps"])
        .refuses(422, &["ends_before_start", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let LoaRequest { staff_id, starts_at, ends_at, reason: Text(reason) } = call.body()?;
    call.caller.decides_about(staff_id)?;
    let new = NewLoa { staff_id, starts_at: starts_at.0, ends_at: ends_at.0, reason };
    check_span(new.starts_at, new.ends_at)?;
    let mut work = UnitOfWork::begin(&call).await?;
    call.room_for(work.tx(), Cap::Leaves, 1).await?;
    let added = written(loa::add(work.tx(), call.guild(), new, work.now()).await?)?;
    let id = added.loa_id;
    work.audit("loa.create", id, json!({ "after": Loa::new(&added, work.now()) }));
    work.commit(Reply::data(&Created { id })?.with_message("leave of absence added")).await
}
