//! POST /bindings/test: would this binding apply to this user? Nothing is saved.

use entities::binding::Kind;
use entities::{ChatId, GroupId, link};
use platforms::{Missing, PlatformError};

use crate::endpoints::bindings::change::Rank;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct BindingTest {
        chat_id: ChatId,
        kind as "type": Kind,
        group_id: GroupId,
        #[example(100)]
        rank: Rank,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BindingTestResult {
    matches: bool,
    /// The user's highest rank in the group; 0: not in it.
    #[schema(minimum = 0, maximum = 255, example = 100)]
    current_rank: i32,
}

pub(crate) fn operation() -> Operation {
    Operation::new("testBinding", "Would a binding apply to a user?")
        .about("A dry run: nothing is saved.")
        .body::<BindingTest>()
        .data::<BindingTestResult>()
        .refuses(404, &["not_linked"])
        .refuses(422, &["unknown_group"])
        .asks_platform()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let BindingTest { chat_id, kind: Kind::GroupRank, group_id: group, rank } = call.body()?;
    let link = link::find_by_chat(call.read(), call.guild(), chat_id).await?;
    let play = link.ok_or_else(ApiError::not_linked)?.play_id;
    let ranks = call.state.platforms.play.group_ranks(call.platform(), &[play], &[group]).await;
    let ranks = match ranks {
        Err(PlatformError::NotFound(Missing::Group)) => {
            return Err(ApiError::rule("unknown_group", "no such game group"));
        }
        ranks => ranks?,
    };
    let held = ranks.get(&(play, group)).map(Vec::as_slice).unwrap_or_default();
    Reply::data(&compare(held, rank.0))
}

/// A group member may hold several ranks, any other user holds rank 0 (docs/rules.md 5).
fn compare(held: &[i16], rank: i32) -> BindingTestResult {
    let held = if held.is_empty() { &[0] } else { held };
    let held = held.iter().copied().map(i32::from);
    BindingTestResult { matches: held.clone().any(|one| one == rank), current_rank: held.max().unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn any_rank_matches_and_the_highest_is_returned() {
        for (held, rank, expected) in [
            ([].as_slice(), 0, (true, 0)),
            (&[], 5, (false, 0)),
            (&[3, 90], 3, (true, 90)),
            (&[3, 90], 90, (true, 90)),
            (&[3, 90], 0, (false, 90)),
        ] {
            let outcome = compare(held, rank);
            assert_eq!((outcome.matches, outcome.current_rank), expected, "{held:?} {rank}");
        }
    }
}
