//! PATCH /guilds/:guildId/staff/loa/:loaId
//!
//! One that has expired and is given an end in the future is active again, unless the same call says otherwise.

use entities::loa::{self, Model, Status};
use entities::{LoaId, Timestamp};

use crate::audit;
use crate::call::Call;
use crate::fields::{End, Fields, Moment, Text};
use crate::guilds::staff::loa::{Loa, check_span, unknown, written};
use crate::guilds::staff::{ID, nothing_given};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn change(call: Call) -> Result<Reply, ApiError> {
    let id: LoaId = call.path("loaId", ID)?;
    let change = Change::read(&call.fields)?;
    let transaction = call.begin().await?;
    let found = loa::find_for_update(&transaction, call.guild(), id).await?;
    let before = found.ok_or_else(unknown)?;
    let after = change.applied_to(before.clone(), call.now());
    check_span(after.starts_at, after.ends_at)?;
    let Some(changes) = audit::changes(&Loa::from(&before), &Loa::from(&after))? else {
        return Ok(Reply::message("nothing to change: the leave of absence is like that already"));
    };
    written(loa::save(&transaction, &after).await?)?;
    call.audit(&transaction, "loa.update", id, changes).await?;
    call.commit(transaction, Reply::message("leave of absence updated")).await
}

/// What is given; the rest stays as it is.
struct Change {
    starts_at: Option<Moment>,
    ends_at: Option<End>,
    reason: Option<Text>,
    status: Option<Status>,
}

impl Change {
    fn read(fields: &Fields) -> Result<Self, ApiError> {
        let change = Self {
            starts_at: fields.changed("starts_at")?,
            ends_at: fields.changed("ends_at")?,
            reason: fields.changed("reason")?,
            status: fields.changed("status")?,
        };
        if let Self { starts_at: None, ends_at: None, reason: None, status: None } = change {
            return Err(nothing_given("`starts_at`, `ends_at`, `reason`, `status`"));
        }
        Ok(change)
    }

    fn applied_to(self, loa: Model, now: Timestamp) -> Model {
        let ends_at = self.ends_at.map_or(loa.ends_at, |end| end.0);
        let prolonged = ends_at != loa.ends_at && ends_at > now;
        Model {
            starts_at: self.starts_at.map_or(loa.starts_at, |moment| moment.0),
            ends_at,
            reason: self.reason.map_or(loa.reason, |text| text.0),
            status: self.status.unwrap_or(if prolonged { Status::Active } else { loa.status }),
            ..loa
        }
    }
}
