//! Interactions that come by the event stream, where the application has no endpoint for them: the answer is a call of the
//! platform, which waits 3 s for it.

use std::sync::Arc;
use std::time::Duration;

use entities::{ChatId, Timestamp};
use platforms::PlatformError;
use runtime::telemetry::{SPANS, traces};
use serde_json::Value;
use tokio::time::timeout;
use tracing::{Instrument, field};

use crate::ChatCommands;
use crate::answers::parts;
use crate::commands;
use crate::interaction::{Ask, Deed, Interaction};

/// The platform waits so long.
const ANSWERED_WITHIN: Duration = Duration::from_secs(3);
const FIRST_PAUSE: Duration = Duration::from_millis(100);

impl ChatCommands {
    /// Answers an interaction: `body` is the data of its event. `missed`: it came while the stream was not read.
    pub async fn answer_event(self: Arc<Self>, body: &str, missed: bool) {
        let heard = self.context.clock.steady();
        let interaction = match Interaction::read(body.as_bytes()) {
            Ok(interaction) => interaction,
            Err(error) => {
                runtime::warn_throttled!(%error, "an interaction of the event stream is not understood");
                return;
            }
        };
        // The person has seen long ago that nothing came of it. The clock decides about missed ones only, because it may be wrong.
        if missed && interaction.is_over(self.context.clock.now()) {
            tracing::info!("an interaction came while the event stream was not read: it is over");
            return;
        }
        if !interaction.is_for_us() || !self.takes(&interaction).await {
            return;
        }
        let (id, token) = (interaction.id, interaction.token.clone());
        let request_id: Arc<str> = id.to_string().into();
        let span = tracing::error_span!(
            target: SPANS,
            parent: None,
            "interaction",
            request.id = &*request_id,
            trace_id = field::Empty
        );
        traces::begin(&span, None);
        let work = async move {
            let answer = self.answer(interaction, request_id).await;
            self.send(id, &token, &answer, heard).await;
        };
        work.instrument(span).await;
    }

    /// Sends the answer, again and again while the platform waits for it.
    async fn send(&self, interaction: u64, token: &str, answer: &Value, heard: Duration) {
        let (clock, mut pause) = (&self.context.clock, FIRST_PAUSE);
        let left = || ANSWERED_WITHIN.saturating_sub(clock.steady().saturating_sub(heard));
        loop {
            let sending = self.platforms.chat.answer(interaction, token, answer.clone());
            let error = match timeout(left(), sending).await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => Some(error),
                Err(_) => None,
            };
            match error {
                Some(PlatformError::RateLimited { retry_after }) if retry_after < left() => {
                    tokio::time::sleep(retry_after).await;
                }
                Some(error) if error.is_retryable() && pause < left() => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                None | Some(PlatformError::NotFound(_)) => {
                    tracing::warn!("the answer to a command came too late: the chat platform waits 3 s");
                    return;
                }
                Some(error) => {
                    tracing::warn!(%error, "the answer to a command could not be sent");
                    return;
                }
            }
        }
    }
}

impl Interaction {
    /// Another program may use the same bot, and answers what this version does not have.
    fn is_for_us(&self) -> bool {
        let Ask::Person(asked) = &self.ask else { return false };
        let command = match &asked.deed {
            Deed::Typed { command, .. } => command,
            Deed::Pressed { id } | Deed::Sent { id, .. } => parts(id).0,
        };
        commands::find(command).is_ok()
    }

    /// Nobody waits for the answer. Its number has the time in which it was made, as that of a user has.
    fn is_over(&self, now: Timestamp) -> bool {
        let id = i64::try_from(self.id).ok().and_then(|id| ChatId::try_from(id).ok());
        let made = id.and_then(ChatId::made_at);
        made.is_none_or(|made| (now - made).abs().to_std().is_ok_and(|since| since > ANSWERED_WITHIN))
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use serde_json::json;

    use super::*;

    fn interaction(kind: u8, data: &Value) -> Interaction {
        let user = json!({ "id": "300000000000000001", "username": "ann" });
        let body = json!({ "id": "1200000000000000000", "application_id": "900000000000000001", "type": kind,
                           "token": "t", "user": user, "data": data });
        Interaction::read(body.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn an_interaction_is_over_when_the_platform_waits_no_more() {
        let typed = interaction(2, &json!({ "name": "link" }));
        let made = ChatId::try_from(1_200_000_000_000_000_000).unwrap().made_at().unwrap();
        for (seconds, over) in [(0, false), (3, false), (4, true), (600, true), (-600, true)] {
            assert_eq!(typed.is_over(made + TimeDelta::seconds(seconds)), over, "{seconds}");
        }
    }

    #[test]
    fn what_another_program_of_the_same_bot_has_is_left_to_it() {
        for (kind, data, ours) in [
            (2, json!({ "name": "link" }), true),
            (2, json!({ "name": "play-music" }), false),
            (3, json!({ "custom_id": "link:start", "component_type": 2 }), true),
            (3, json!({ "custom_id": "next-page", "component_type": 2 }), false),
            (5, json!({ "custom_id": "link:profile:1", "components": [] }), true),
            (4, json!({ "name": "link" }), false),
        ] {
            assert_eq!(interaction(kind, &data).is_for_us(), ours, "{kind} {data}");
        }
    }
}
