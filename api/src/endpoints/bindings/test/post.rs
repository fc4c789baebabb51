//! POST /bindings/test: would this binding apply to this user, and what do the guild's bindings do? Nothing is saved.

use entities::binding::{Condition, Kind, Parts};
use entities::{ChatId, GroupId, GroupRoleId, link};
use platforms::{Memberships, Missing, PlatformError, judge};

use crate::endpoints::bindings::change::{EMPTY_RANGE, FOREIGN_FIELD, MemberRank, Rank, condition};
use crate::endpoints::bindings::explained::Explained;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct BindingTest {
        chat_id: ChatId,
        kind as "type": Kind,
        /// Of the types that begin with `group_`, which need it.
        group_id: Option<GroupId>,
        /// Of `group_rank`, which needs it. 0: not in the group.
        #[example(100)]
        rank: Option<Rank>,
        /// Of `group_rank_range`, which needs it.
        #[example(50)]
        min_rank: Option<MemberRank>,
        /// Of `group_rank_range`, which needs it; included.
        #[example(100)]
        max_rank: Option<MemberRank>,
        /// Of `group_role`, which needs it.
        group_role_id: Option<GroupRoleId>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BindingTestResult {
    matches: bool,
    /// The user's highest rank in the group; 0: not in it.
    #[schema(minimum = 0, maximum = 255, example = 100)]
    current_rank: i16,
    #[serde(flatten)]
    explained: Explained,
}

pub(crate) fn operation() -> Operation {
    Operation::new("testBinding", "Would a binding apply to a user?")
        .about("A dry run: nothing is saved. It also says which of the guild's bindings match, and what a sync would change.")
        .body::<BindingTest>()
        .data::<BindingTestResult>()
        .refuses(404, &["not_linked"])
        .refuses(422, &["unknown_group", FOREIGN_FIELD, EMPTY_RANGE])
        .asks_platform()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let test: BindingTest = call.body()?;
    let tested = test.condition()?;
    let link = link::find_by_chat(call.read(), call.guild(), test.chat_id).await?;
    if link.is_none() && tested.group().is_some() {
        return Err(ApiError::not_linked());
    }
    let play = link.as_ref().map(|link| link.play_id);
    let memberships = memberships(&call, tested, play.as_slice()).await?;
    let held = play.zip(tested.group()).and_then(|in_group| memberships.get(&in_group));
    Reply::data(&BindingTestResult {
        matches: judge(tested, play, &memberships).matches(),
        current_rank: held.and_then(|roles| roles.last()).map_or(0, |role| role.rank),
        explained: Explained::read(&call, test.chat_id, link.as_ref()).await?,
    })
}

impl BindingTest {
    fn condition(&self) -> Result<Condition, ApiError> {
        let parts = Parts {
            group_id: self.group_id,
            rank: self.rank.map(|rank| rank.0),
            min_rank: self.min_rank.map(|rank| rank.0),
            max_rank: self.max_rank.map(|rank| rank.0),
            group_role_id: self.group_role_id,
        };
        condition(self.kind, parts)
    }
}

async fn memberships(
    call: &Call,
    tested: Condition,
    players: &[entities::PlayId],
) -> Result<Memberships, ApiError> {
    let groups: Vec<GroupId> = tested.group().into_iter().collect();
    match call.state.platforms.play.memberships(call.platform(), players, &groups).await {
        Err(PlatformError::NotFound(Missing::Group(group))) => {
            Err(ApiError::rule("unknown_group", format!("no such game group: {group}")))
        }
        memberships => Ok(memberships?),
    }
}
