//! GET /guilds/:guildId/staff/loa, newest first; `staff_id` and `status` narrow it.

use entities::loa::{self, Filter, Status};
use entities::{ChatId, LoaId};
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::guilds::staff::ID;
use crate::guilds::staff::loa::Loa;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;

#[derive(Serialize)]
struct Loas {
    loas: Vec<Loa>,
    next_cursor: Option<LoaId>,
}

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<LoaId>::or_whole(&call, ID)?;
    let staff = call.query.parsed("staff_id", &ChatId::allowed())?;
    let filter = Filter { staff, status: asked(&call)? };
    let mut rows = loa::list(call.read(), call.guild(), filter, page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.loa_id);
    Reply::data(&Loas { loas: rows.iter().map(Loa::from).collect(), next_cursor })
}

fn asked(call: &Call) -> Result<Option<Status>, ApiError> {
    let Some(text) = call.query.text("status") else { return Ok(None) };
    let status = Status::read(&text.into());
    status.map(Some).ok_or_else(|| ApiError::field("status", &text.into(), &Status::allowed()))
}
