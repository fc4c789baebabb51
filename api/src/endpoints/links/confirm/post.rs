//! POST /links/confirm: a player typed a code in a game. The first call answers whose code it is, so that the game can ask the
//! player; the second, with `confirm`, links.

use std::time::Duration;

use entities::account::Way;
use entities::link_attempt::{self, Model, Outcome, State, TRIES};
use entities::{ChatId, PlayId, guild};
use runtime::{Counter, Rate};

use crate::cache::keys::Key;
use crate::endpoints::guilds::link_attempts::bind::{EndedAttempt, Player, bind, made_at};
use crate::endpoints::guilds::link_attempts::{code, messages};
use crate::endpoints::prelude::*;

/// Codes that a player may type wrongly.
const WRONG_CODES: Rate = Rate::per(5, Duration::from_secs(15 * 60));

request! {
    pub(crate) struct CodeRequest {
        /// As the player typed it: case, spaces and dashes do not matter.
        #[example("K7WD4P")]
        code: Text<40>,
        play_id: PlayId,
        #[example("Brickmason")]
        play_username: Text,
        /// The player has read the name of the chat account, and agreed.
        confirm: Option<bool>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConfirmedCode {
    /// Whose code it is: ask the player whether this is their account.
    chat_id: ChatId,
    #[schema(example = "alex")]
    chat_name: String,
    /// What came of it; null: the player has to be asked first.
    #[schema(required)]
    ended: Option<EndedAttempt>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("confirmLinkCode", "A player typed a code")
        .about(
            "Call it twice: the first answer says whose code it is, so that the game can ask the player \"Link *name* with your \
             account?\"; the second call, with `confirm: true`, links. A code proves for this guild alone, unless the operator trusts the key. After 5 wrong codes \
             a player waits 15 minutes; after 5 players typed the same code it is dead.",
        )
        .body::<CodeRequest>()
        .data::<ConfirmedCode>()
        .refuses(404, &["unknown_player", "wrong_code"])
        .refuses(422, &["way_off", "too_many"])
        .refuses(429, &["too_many_codes"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let CodeRequest { code: Text(typed), play_id, play_username: Text(name), confirm } = call.body()?;
    let rules = guild::find(call.read(), call.guild()).await?.or_not_found("guild")?;
    if !rules.link_ways.0.contains(&Way::Code) {
        return Err(ApiError::rule("way_off", "this guild does not take codes"));
    }
    let limits = &call.state.context.limits;
    let counter = Counter::LinkCodes(call.guild().get(), play_id.get());
    if let Ok(left) = limits.peek(counter, WRONG_CODES).await
        && left.remaining == 0
    {
        return Err(ApiError::too_many_codes(left.reset_after_secs()));
    }
    // The platform is asked before the transaction begins.
    let made = if confirm == Some(true) { made_at(&call, &rules, play_id).await? } else { None };
    let mut work = UnitOfWork::begin(&call).await?;
    let found = link_attempt::by_code(work.tx(), call.guild(), &code::hash(&typed), work.now()).await?;
    let Some(mut attempt) = found else {
        limits.take_or_fallback(counter, WRONG_CODES).await;
        return Err(ApiError::wrong_code());
    };
    // What was proven before gives way: only a yes of this player in the game links.
    if attempt.state == State::Proven {
        (attempt.state, attempt.way) = (State::Open, None);
    }
    if is_of_another(&attempt, play_id) {
        attempt.tries += 1;
        if attempt.tries >= TRIES {
            attempt.end(Outcome::Locked, work.now());
        }
    }
    let asked = attempt.play_id == Some(play_id) && attempt.way == Some(Way::Code);
    let (chat_id, chat_name) = (attempt.chat_id, attempt.chat_name.clone());
    let ended = if confirm == Some(true) && asked && attempt.is_live(work.now()) {
        attempt.trusted = call.caller.key().is_some_and(Key::is_trusted);
        let (actor, player) = (call.acting(chat_id), Player { id: play_id, name: name.clone(), made });
        let mut ended = bind(&call, &mut work, attempt, player, Way::Code, actor.clone()).await?;
        // A game does not show texts that may name other platforms: the guild's goes to the member.
        if let Some(message) = ended.message.take() {
            messages::linked(&mut work, &rules, &message, (chat_id, &name), actor).await?;
        }
        Some(ended)
    } else {
        attempt.way = Some(Way::Code);
        attempt.play_id = Some(play_id);
        attempt.play_username = Some(name);
        link_attempt::save(work.tx(), &attempt).await?;
        None
    };
    work.commit(Reply::data(&ConfirmedCode { chat_id, chat_name, ended })?).await
}

/// Whether another player was asked before.
fn is_of_another(attempt: &Model, play: PlayId) -> bool {
    attempt.way == Some(Way::Code) && attempt.play_id.is_some_and(|before| before != play)
}
