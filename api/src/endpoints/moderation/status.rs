//! Shared by the two checks: the query, and a sanction in the response.

use entities::{ChatId, PlaceId, SanctionId, SanctionKind, Subject};

use crate::cache::guild_state::{Question, Sanction};
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
    identifier: Subject,
    /// Null: every game of the guild.
    #[schema(required)]
    place_id: Option<PlaceId>,
}

impl From<Sanction> for SanctionInfo {
    fn from(found: Sanction) -> Self {
        Self {
            id: found.id,
            reason: found.reason,
            moderator_id: found.moderator,
            expires_at: found.expires_at.map(Seconds),
            created_at: Seconds(found.created_at),
            identifier: found.subject,
            place_id: found.place,
        }
    }
}

/// The sanction of this kind that applies to the user of the path.
pub(crate) async fn find(call: &Call, kind: SanctionKind) -> Result<Option<SanctionInfo>, ApiError> {
    let StatusQuery { place_id } = call.query()?;
    let ask = Question { kind, subject: call.path("identifier")?, place: place_id, now: call.now() };
    Ok(call.state.caches.moderation.find(call.guild(), ask).await?.map(SanctionInfo::from))
}
