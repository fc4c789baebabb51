//! Shared by the endpoints that change bindings.

use entities::binding::{Kind, Rule};
use entities::{GroupId, RoleId, guild};

use crate::endpoints::prelude::*;
use crate::request::values::Whole;

/// Ranks of a game group; 0 means "not in the group" (docs/rules.md 5).
pub(crate) type Rank = Whole<0, 255>;

request! {
    pub(crate) struct BindingRequest {
        kind as "type": Kind,
        group_id: GroupId,
        #[example(100)]
        rank: Rank,
        role_id: RoleId,
    }
}

impl From<BindingRequest> for Rule {
    fn from(sent: BindingRequest) -> Self {
        let BindingRequest { kind, group_id, rank, role_id } = sent;
        Self { kind, group_id, rank: rank.0, role_id }
    }
}

/// A transaction in which no other request changes the guild's bindings.
pub(crate) async fn begin(call: &Call) -> Result<UnitOfWork<'_>, ApiError> {
    let work = UnitOfWork::begin(call).await?;
    guild::find_for_update(work.tx(), call.guild()).await?;
    Ok(work)
}

pub(crate) fn duplicate() -> ApiError {
    ApiError::conflict("binding_exists", "the guild has this very binding already")
}
