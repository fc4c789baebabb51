//! The list of commands, and what each of them is.

mod ban;
mod banned;
mod leave;
mod link;
mod setup;
mod strike;
mod sync;
mod sync_all;
mod unban;
mod unlink;
mod whois;

use std::future::Future;
use std::pin::Pin;

use async_trait::async_trait;

use crate::answers::Editor;
use crate::call::{Call, Problem};
use crate::definition::Definition;
use crate::interaction::Options;
use crate::message::{Form, Message};

const COMMANDS: [&dyn Command; 11] = [
    &link::Link,
    &unlink::Unlink,
    &whois::Whois,
    &sync::Sync,
    &sync_all::SyncAll,
    &ban::Ban,
    &unban::Unban,
    &banned::Banned,
    &strike::Strike,
    &leave::Leave,
    &setup::Setup,
];

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

pub(crate) fn find(name: &str) -> Result<&'static dyn Command, Problem> {
    let found = COMMANDS.into_iter().find(|command| command.definition().name() == name);
    found.ok_or_else(|| Problem::refused("This command no longer exists."))
}

pub(crate) fn definitions() -> Vec<Definition> {
    COMMANDS.iter().map(|command| command.definition()).collect()
}
