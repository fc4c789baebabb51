//! GET /shield/check/:playId

use entities::shield_flag::Model;
use entities::{ChatId, PlayId};

use crate::endpoints::prelude::*;
use crate::request::values::OrTest;

#[derive(Serialize, ToSchema)]
pub(crate) struct ShieldCheck {
    flagged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    flag: Option<ShieldFlag>,
}

answer! {
    pub(crate) struct ShieldFlag from row: Model {
        /// A string in answers, an integer in requests (docs/rules.md 8).
        #[schema(pattern = "^[1-9][0-9]{0,18}$", example = "4815162342")]
        play_id: String = row.play_id.to_string(),
        #[schema(example = "Griefer99")]
        play_username: String,
        #[schema(example = "exploiting")]
        reason: String,
        flagged_by: ChatId,
        #[schema(example = "manual")]
        source: String,
        flagged_at: Seconds,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("checkShield", "Is a game user flagged?")
        .data::<ShieldCheck>()
        .message("the user is flagged")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let found = match call.path::<OrTest<PlayId>>("playId")? {
        OrTest::Player(play) => call.state.caches.flags.find(&[play]).await?.pop(),
        OrTest::Test(_) => None,
    };
    let message = if found.is_some() { "the user is flagged" } else { "the user is not flagged" };
    let check = ShieldCheck { flagged: found.is_some(), flag: found.as_deref().map(ShieldFlag::from) };
    Ok(Reply::data(&check)?.with_message(message))
}
