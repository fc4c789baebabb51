//! What a command is, and what it leads to.

use std::future::Future;
use std::pin::Pin;

use async_trait::async_trait;

use crate::call::{Call, Problem};
use crate::definition::Definition;
use crate::editor::Editor;
use crate::form::Form;
use crate::interaction::Options;
use crate::message::Message;

/// A command with the buttons and forms of its answers, whose ids begin with its name.
#[async_trait]
pub(crate) trait Command: Send + Sync {
    fn definition(&self) -> Definition;

    async fn run(&self, call: &Call, subcommand: &str, options: &Options) -> Outcome;

    /// `about`: what follows the name in the button's id.
    async fn press(&self, _call: &Call, _about: &str) -> Outcome {
        Err(Problem::outdated())
    }

    async fn send(&self, _call: &Call, _about: &str, _fields: &Options) -> Outcome {
        Err(Problem::outdated())
    }
}

pub(crate) type Outcome = Result<Answer, Problem>;

/// What a command leads to.
pub(crate) struct Answer {
    pub(crate) reply: Reply,
    /// Changes the message later.
    pub(crate) follow: Option<Follow>,
}

pub(crate) enum Reply {
    Message(Message),
    /// Beside the message of the button or form, which stays for another try.
    Refusal(Message),
    Form(Form),
}

pub(crate) type Follow = Box<dyn FnOnce(Editor) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

impl From<Message> for Answer {
    fn from(message: Message) -> Self {
        Self { reply: Reply::Message(message), follow: None }
    }
}

impl From<Form> for Answer {
    fn from(form: Form) -> Self {
        Self { reply: Reply::Form(form), follow: None }
    }
}
