//! /apply: the form of an application panel, also behind the button that is posted in a channel. The page of the panel stands in
//! where it has more questions than the form takes.

use entities::application_panel::{self, Model as Panel, Question, QuestionKind};
use entities::application_submission;
use http::Method;
use people::application_button::{self, COMMAND, Of};
use serde_json::{Map, Value, json};

use crate::call::{Call, Problem, body};
use crate::command::{Answer, Command, Outcome};
use crate::definition::Definition;
use crate::form::{Field, Form, Input};
use crate::interaction::Options;
use crate::message::{Message, Style, plain};

pub(super) struct Apply;

/// Buttons of a message.
const SHOWN: usize = 5;
/// Of the button that sends an application to a panel without questions.
const SEND: &str = "send:";

impl Command for Apply {
    fn definition(&self) -> Definition {
        Definition::new(COMMAND, "Apply for something in this server")
    }

    async fn run(&self, call: &Call, _subcommand: &str, _options: &Options) -> Outcome {
        let mut panels = application_panel::list(call.read(), call.guild.guild_id).await?;
        panels.retain(|panel| panel.is_open);
        match panels.as_slice() {
            [] => Err(Problem::refused("There is nothing to apply for here at the moment.")),
            [panel] => begin(call, panel).await,
            panels => Ok(list(panels, call.apply_page()).into()),
        }
    }

    async fn press(&self, call: &Call, about: &str) -> Outcome {
        match about.strip_prefix(SEND) {
            Some(about) => send(call, &find(call, about).await?, &Options::default()).await,
            None => begin(call, &find(call, about).await?).await,
        }
    }

    async fn send(&self, call: &Call, about: &str, fields: &Options) -> Outcome {
        send(call, &find(call, about).await?, fields).await
    }
}

/// A button for each; the rest is on the page, if there is one.
fn list(panels: &[Panel], page: Option<String>) -> Message {
    let page = page.filter(|_| panels.len() > SHOWN);
    let more = match &page {
        _ if panels.len() <= SHOWN => "",
        Some(_) => " The page shows all of it.",
        None => " There is more: look for the buttons in the channels of this server.",
    };
    let buttons = panels.iter().take(SHOWN - usize::from(page.is_some()));
    let message = buttons
        .fold(Message::new(format!("**What do you apply for?**{more}")), |message, panel| {
            message.button(Style::Secondary, panel.name.clone(), application_button::id(panel))
        });
    message.link("Show all", page)
}

/// The page of a panel, if members can sign in there.
fn page_of(call: &Call, panel: &Panel) -> Option<String> {
    Some(format!("{}/{}", call.apply_page()?, panel.panel_id))
}

async fn find(call: &Call, about: &str) -> Result<Panel, Problem> {
    let of: Of = about.parse().map_err(|()| Problem::outdated())?;
    let found = application_panel::find(call.read(), call.guild.guild_id, of.panel).await?;
    let found = found.and_then(Panel::present).filter(|panel| Of::from(panel) == of);
    found.ok_or_else(|| Problem::refused("What this button is for was removed."))
}

/// The form, unless an application would be refused.
async fn begin(call: &Call, panel: &Panel) -> Outcome {
    let name = plain(&panel.name);
    if !panel.is_open {
        return Err(Problem::refused(format!("**{name}** takes no applications at the moment.")));
    }
    let guild = call.guild.guild_id;
    let open = application_submission::open_of(call.read(), guild, panel.panel_id, call.me()).await?;
    if let Some(number) = open {
        let text =
            format!("You have applied for **{name}** already (number {number}). Staff decide about it.");
        return Err(Problem::refused(text));
    }
    let of = Of::from(panel);
    if panel.questions.0.is_empty() {
        let id = format!("{COMMAND}:{SEND}{of}");
        let message = Message::new(format!("**Apply for {name}?**"));
        return Ok(message.button(Style::Primary, "Send application", id).into());
    }
    if !panel.questions.fit_form() {
        let page = page_of(call, panel).ok_or_else(|| {
            Problem::refused(format!("**{name}** asks more than a form here shows. Ask staff how to apply."))
        })?;
        let text = format!("**{name}** asks more than a form here shows: apply on its page.");
        return Ok(Message::new(text).link("Open the page", Some(page)).into());
    }
    let fields = panel.questions.0.iter().map(field).collect();
    Ok(Answer::from(Form { id: format!("{COMMAND}:{of}"), title: panel.name.clone(), fields }))
}

/// Named by its question: what changes in the panel while somebody fills the form is noticed when it is sent.
fn field(question: &Question) -> Field {
    let longest = question.kind.longest().unwrap_or_default();
    let input = match question.kind {
        QuestionKind::Text => Input::Line { hint: "", longest },
        QuestionKind::Paragraph => Input::Paragraph { longest },
        QuestionKind::Choice => Input::Choice(question.options.clone()),
        QuestionKind::Agree => Input::Box("I agree"),
    };
    Field { id: question.label.clone(), label: question.label.clone(), required: question.required, input }
}

async fn send(call: &Call, panel: &Panel, fields: &Options) -> Outcome {
    let answer = |question: &Question| match (question.kind, fields.text(&question.label)) {
        (QuestionKind::Agree, text) => Value::Bool(!text.is_empty()),
        (_, text) => Value::from(text),
    };
    let answers: Map<String, Value> =
        panel.questions.0.iter().map(|question| (question.label.clone(), answer(question))).collect();
    let sent = json!({ "panel_id": panel.panel_id, "chat_id": call.me(), "answers": answers });
    let done = call.api(Method::POST, "/guilds/{g}/application-submissions", body(sent)).await?;
    let text = format!(
        "Your application for **{}** is sent: number {}. You get a message when staff have decided.",
        plain(&panel.name),
        done.data["submission_id"]
    );
    Ok(Message::new(text).link("See how it stands", page_of(call, panel)).into())
}
