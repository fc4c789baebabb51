//! An attempt to link, as the API shows it (docs/rules.md 11).

use entities::account::Way;
use entities::link_attempt::{Model, Outcome, State};
use entities::{AttemptId, ChatId, PlayId};

use crate::endpoints::prelude::*;

answer! {
    /// A member's attempt to link.
    pub(crate) struct LinkAttempt from row: Model {
        pub(crate) id: AttemptId = row.attempt_id,
        chat_id: ChatId,
        #[schema(example = "alex")]
        chat_name: String,
        state: State,
        /// How the game account was proven; null until it is.
        #[schema(required)]
        way: Option<Way>,
        /// The game account that the member wants to link; null until it is proven.
        #[schema(required)]
        play_id: Option<PlayId> = shown(row).then_some(row.play_id).flatten(),
        #[schema(required, example = "Brickmason")]
        play_username: Option<String> = if shown(row) { row.play_username.clone() } else { None },
        /// Why staff must decide.
        #[schema(required, example = "banned in this guild")]
        held_for: Option<String>,
        /// Null until it has ended.
        #[schema(required)]
        outcome: Option<Outcome>,
        created_at: Seconds,
        expires_at: Seconds,
        #[schema(required)]
        decided_by: Option<ChatId>,
    }
}

/// A guild learns the game account of an attempt only from what the member agreed to.
fn shown(row: &Model) -> bool {
    row.state == State::Held || row.outcome == Some(Outcome::Linked) || row.decided_by.is_some()
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BegunAttempt {
    pub(crate) attempt: LinkAttempt,
    /// What the member types in a game of the guild. Shown once.
    #[schema(example = "K7WD4P")]
    pub(crate) code: String,
    /// What the member puts into the text of their profile on the game platform.
    #[schema(example = "river maple lantern copper meadow")]
    pub(crate) words: String,
}
