//! Shared by the two checks: the query, and a sanction in the response.

use entities::{ChatId, PlaceId, SanctionId, SanctionKind, Subject, sanction};

use crate::cache::sanctions::Question;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct StatusQuery {
        /// Only of this game and of all games; without it any counts.
        place_id: Option<PlaceId>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SanctionInfo {
    id: SanctionId,
    #[schema(example = "exploiting")]
    reason: String,
    moderator_id: ChatId,
    /// Null: never.
    #[schema(required)]
    expires_at: Option<Seconds>,
    created_at: Seconds,
    /// The account that was named; the check may have asked for the other one.
    #[schema(required)]
    identifier: Option<Subject>,
    /// Null: every game of the guild.
    #[schema(required)]
    place_id: Option<PlaceId>,
}

impl From<sanction::Model> for SanctionInfo {
    fn from(row: sanction::Model) -> Self {
        Self {
            id: row.sanction_id,
            identifier: row.subject(),
            reason: row.reason,
            moderator_id: row.moderator_id,
            expires_at: row.expires_at.map(Seconds),
            created_at: Seconds(row.created_at),
            place_id: row.place_id,
        }
    }
}

/// The sanction of this kind that applies to the user of the path.
pub(crate) async fn find(call: &Call, kind: SanctionKind) -> Result<Option<SanctionInfo>, ApiError> {
    let StatusQuery { place_id } = call.query()?;
    let ask = Question {
        guild: call.guild(),
        kind,
        subject: call.path("identifier")?,
        place: place_id,
        now: call.now(),
    };
    Ok(call.state.caches.sanctions.find(call.read(), ask).await?.map(SanctionInfo::from))
}
