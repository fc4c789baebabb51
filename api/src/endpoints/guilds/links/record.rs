//! A link as the endpoints of links show it (docs/rules.md 11).

use entities::link::{Model, Source};
use entities::{ChatId, PlayId};

use crate::endpoints::prelude::*;

answer! {
    /// Both accounts of one person in this guild.
    pub(crate) struct Link from row: Model {
        pub(crate) chat_id: ChatId,
        play_id: PlayId,
        #[schema(example = "Brickmason")]
        play_username: String,
        verified_at: Seconds,
        source: Source,
    }
}
