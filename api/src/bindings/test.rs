//! POST /bindings/test: would this binding apply to this user? Nothing is saved.

use entities::binding::Kind;
use entities::{ChatId, GroupId, link};
use platforms::{Missing, PlatformError};
use serde::Serialize;

use crate::bindings::Rank;
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

#[derive(Serialize)]
struct Tested {
    matches: bool,
    /// The highest the user holds in the group, 0 for none.
    current_rank: i32,
}

pub(crate) async fn test(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.fields.required("chat_id")?;
    call.fields.required::<Kind>("type")?;
    let group: GroupId = call.fields.required("group_id")?;
    let Rank { 0: rank } = call.fields.required("rank")?;
    let link = link::find_by_chat(call.read(), call.guild(), chat).await?;
    let play = link.ok_or_else(ApiError::not_linked)?.play_id;
    let ranks = call.app.platforms.play.group_ranks(call.platform(), &[play], &[group]).await;
    let ranks = match ranks {
        Err(PlatformError::NotFound(Missing::Group)) => {
            return Err(ApiError::rule("unknown_group", "no such game group"));
        }
        ranks => ranks?,
    };
    let held = ranks.get(&(play, group)).map(Vec::as_slice).unwrap_or_default();
    Reply::data(&tested(held, rank))
}

/// Who is in the group may hold several ranks, who is not holds rank 0 (docs/rules.md 5).
fn tested(held: &[i16], rank: i32) -> Tested {
    let held = if held.is_empty() { &[0] } else { held };
    let held = held.iter().copied().map(i32::from);
    Tested { matches: held.clone().any(|one| one == rank), current_rank: held.max().unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::tested;

    #[test]
    fn any_rank_matches_and_the_highest_is_told() {
        for (held, rank, expected) in [
            ([].as_slice(), 0, (true, 0)),
            (&[], 5, (false, 0)),
            (&[3, 90], 3, (true, 90)),
            (&[3, 90], 90, (true, 90)),
            (&[3, 90], 0, (false, 90)),
        ] {
            let outcome = tested(held, rank);
            assert_eq!((outcome.matches, outcome.current_rank), expected, "{held:?} {rank}");
        }
    }
}
