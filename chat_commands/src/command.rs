//! What a command is, and what it leads to.

use std::future::ready;

use crate::call::{Call, Problem};
use crate::definition::Definition;
use crate::editor::Editor;
use crate::form::Form;
use crate::interaction::Options;
use crate::message::Message;
use futures_util::future::BoxFuture;

/// A command with the buttons and forms of its answers, whose ids begin with its name.
pub(crate) trait Command: Sync {
    fn definition(&self) -> Definition;

    fn run(&self, call: &Call, subcommand: &str, options: &Options) -> impl Future<Output = Outcome> + Send;

    /// `about`: what follows the name in the button's id.
    fn press(&self, _call: &Call, _about: &str) -> impl Future<Output = Outcome> + Send {
        ready(Err(Problem::outdated()))
    }

    fn send(&self, _call: &Call, _about: &str, _fields: &Options) -> impl Future<Output = Outcome> + Send {
        ready(Err(Problem::outdated()))
    }
}

/// Any [`Command`].
pub(crate) trait AnyCommand: Sync {
    fn definition(&self) -> Definition;
    fn run<'a>(&'a self, call: &'a Call, subcommand: &'a str, options: &'a Options)
    -> BoxFuture<'a, Outcome>;
    fn press<'a>(&'a self, call: &'a Call, about: &'a str) -> BoxFuture<'a, Outcome>;
    fn send<'a>(&'a self, call: &'a Call, about: &'a str, fields: &'a Options) -> BoxFuture<'a, Outcome>;
}

impl<C: Command> AnyCommand for C {
    fn definition(&self) -> Definition {
        Command::definition(self)
    }

    fn run<'a>(
        &'a self,
        call: &'a Call,
        subcommand: &'a str,
        options: &'a Options,
    ) -> BoxFuture<'a, Outcome> {
        Box::pin(Command::run(self, call, subcommand, options))
    }

    fn press<'a>(&'a self, call: &'a Call, about: &'a str) -> BoxFuture<'a, Outcome> {
        Box::pin(Command::press(self, call, about))
    }

    fn send<'a>(&'a self, call: &'a Call, about: &'a str, fields: &'a Options) -> BoxFuture<'a, Outcome> {
        Box::pin(Command::send(self, call, about, fields))
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

pub(crate) type Follow = Box<dyn FnOnce(Editor) -> BoxFuture<'static, ()> + Send>;

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
