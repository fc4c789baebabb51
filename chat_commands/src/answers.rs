//! Answers an interaction within the platform's 3 s: with the message, or with one that is changed once the command has run.

use std::sync::Arc;
use std::time::Duration;

use platforms::REPLAY_WINDOW;
use runtime::{Counter, Rate};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tracing::{Instrument, Span};

use crate::ChatCommands;
use crate::call::{Call, Problem};
use crate::command::{Answer, Reply};
use crate::commands;
use crate::editor::Editor;
use crate::interaction::{Ask, Asked, Deed, EPHEMERAL, Interaction};
use crate::message::Message;

/// Well before the platform's 3 s, which include the way there and back.
const ANSWER_WITHIN: Duration = Duration::from_millis(1_500);

/// Of one number, in the time in which its signature is accepted.
const ONCE: Rate = Rate::per(1, Duration::from_secs(2 * REPLAY_WINDOW.as_secs() + 60));

/// The platform's types of an answer.
mod kind {
    pub(super) const PONG: u8 = 1;
    pub(super) const MESSAGE: u8 = 4;
    pub(super) const MESSAGE_LATER: u8 = 5;
    pub(super) const CHANGE_LATER: u8 = 6;
    pub(super) const CHANGE: u8 = 7;
    pub(super) const SUGGESTIONS: u8 = 8;
    pub(super) const FORM: u8 = 9;
}

impl ChatCommands {
    /// Whether no process has taken this interaction; while Redis is away: not this process.
    pub async fn takes(&self, interaction: &Interaction) -> bool {
        self.context.limits.take_or_fallback(Counter::Interaction(interaction.id), ONCE).await.allowed
    }

    /// The answer to an interaction that is surely the platform's. The command goes on if the caller stops waiting.
    pub async fn answer(self: &Arc<Self>, interaction: Interaction, request_id: Arc<str>) -> Value {
        let Interaction { application, token, ask, .. } = interaction;
        let asked = match ask {
            Ask::Ping => return json!({ "type": kind::PONG }),
            Ask::Suggestions => return json!({ "type": kind::SUGGESTIONS, "data": { "choices": [] } }),
            Ask::Person(asked) => *asked,
        };
        // An answer to a button in a message for all must not take that message's place.
        let changes = asked.in_own_message && !matches!(asked.deed, Deed::Typed { .. });
        let editor = Editor { chat: self.clone(), application, token, changes };
        let (done, answer) = oneshot::channel();
        let work = self.clone().run(asked, request_id, done, editor);
        self.context.shutdown.tracker().spawn(work.instrument(Span::current()));
        match in_time(answer).await {
            Some(Reply::Form(form)) => json!({ "type": kind::FORM, "data": form.json() }),
            Some(Reply::Message(message)) => {
                json!({ "type": if changes { kind::CHANGE } else { kind::MESSAGE }, "data": message.json() })
            }
            Some(Reply::Refusal(message)) => json!({ "type": kind::MESSAGE, "data": message.json() }),
            None if changes => json!({ "type": kind::CHANGE_LATER }),
            None => json!({ "type": kind::MESSAGE_LATER, "data": { "flags": EPHEMERAL } }),
        }
    }

    async fn run(
        self: Arc<Self>,
        asked: Asked,
        request_id: Arc<str>,
        done: oneshot::Sender<Reply>,
        editor: Editor,
    ) {
        let answer = match self.outcome(asked, request_id.clone()).await {
            Ok(answer) => answer,
            Err(Problem::Refused(text)) => refusal(text),
            Err(Problem::Failed(cause)) => {
                tracing::error!(cause, "a command failed");
                let text =
                    format!("Something went wrong on our side. The operator finds it as {request_id}.");
                refusal(text)
            }
        };
        // Nobody waits any more: the answer was put off.
        match done.send(answer.reply) {
            Err(Reply::Message(late)) => _ = editor.edit(&late).await,
            Err(Reply::Refusal(late)) => editor.refuse(&late).await,
            // The platform takes a form only at once.
            Err(Reply::Form(_)) => {
                editor.refuse(&Message::new("The form took too long to come. Try again.")).await;
            }
            Ok(()) => {}
        }
        if let Some(follow) = answer.follow {
            follow(editor).await;
        }
    }

    async fn outcome(self: &Arc<Self>, asked: Asked, request_id: Arc<str>) -> Result<Answer, Problem> {
        let call = Call::new(self, asked, request_id).await?;
        match &call.asked.deed {
            Deed::Typed { command, subcommand, options } => {
                commands::find(command)?.run(&call, subcommand, options).await
            }
            Deed::Pressed { id } => {
                let (command, about) = parts(id);
                commands::find(command)?.press(&call, about).await
            }
            Deed::Sent { id, fields } => {
                let (command, about) = parts(id);
                commands::find(command)?.send(&call, about, fields).await
            }
        }
    }
}

fn refusal(text: String) -> Answer {
    Answer { reply: Reply::Refusal(Message::new(text)), follow: None }
}

/// The id of a button or form is the command, a colon, and what it is about.
pub(crate) fn parts(id: &str) -> (&str, &str) {
    id.split_once(':').unwrap_or((id, ""))
}

/// `None`: not in time. The sender notices that nobody waits.
async fn in_time(mut answer: oneshot::Receiver<Reply>) -> Option<Reply> {
    tokio::select! {
        biased;
        answer = &mut answer => answer.ok(),
        () = tokio::time::sleep(ANSWER_WITHIN) => {
            answer.close();
            // One that came meanwhile.
            answer.try_recv().ok()
        }
    }
}
