//! POST /guilds/:guildId/staff/loa

use entities::loa::{self, NewLoa};
use serde_json::json;

use crate::call::Call;
use crate::fields::{End, Moment, Text};
use crate::guilds::staff::Added;
use crate::guilds::staff::loa::{Loa, check_span, written};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let new = NewLoa {
        staff: call.fields.required("staff_id")?,
        starts_at: call.fields.required::<Moment>("starts_at")?.0,
        ends_at: call.fields.required::<End>("ends_at")?.0,
        reason: call.fields.required::<Text>("reason")?.0,
    };
    check_span(new.starts_at, new.ends_at)?;
    let transaction = call.begin().await?;
    let added = written(loa::add(&transaction, call.guild(), new, call.now()).await?)?;
    let id = added.loa_id;
    call.audit(&transaction, "loa.create", id, json!({ "after": Loa::from(&added) })).await?;
    call.commit(transaction, Reply::data(&Added { id })?.with_message("leave of absence added")).await
}
