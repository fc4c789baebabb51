//! `guildhall submissions`: applications submitted to the panels of a guild (docs/rules.md 7).

use anyhow::bail;
use entities::application_submission::{self, NewSubmission};
use entities::{ChatId, Page, PanelId, SubmissionId, application_panel, ticket};
use serde_json::{Value, json};

use crate::operator::GuildArgs;
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Add a submission to a panel
    Add(AddArgs),
    /// List submissions with their tickets, newest first
    List(ListArgs),
}

#[derive(clap::Args)]
pub(crate) struct AddArgs {
    /// The panel
    #[arg(long, value_name = "PANEL_ID")]
    panel: PanelId,
    /// Chat id of the applicant
    #[arg(long, value_name = "CHAT_ID")]
    applicant: ChatId,
    /// Number of the submission [default: the next free one]
    #[arg(long, value_name = "SUBMISSION_ID")]
    id: Option<SubmissionId>,
    /// The applicant's answers, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = answers)]
    answers: Value,
    #[command(flatten)]
    guild: GuildArgs,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Submissions to this panel only
    #[arg(long, value_name = "PANEL_ID")]
    panel: Option<PanelId>,
    /// At most this many
    #[arg(long, default_value_t = 50)]
    limit: u64,
    #[command(flatten)]
    guild: GuildArgs,
}

fn answers(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(answers)) => Ok(Value::Object(answers)),
        Ok(_) => Err("must be a JSON object".to_owned()),
        Err(error) => Err(format!("is not JSON: {error}")),
    }
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Add(args) => add(args).await,
        Command::List(args) => list(args).await,
    }
}

async fn add(args: AddArgs) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let unit = args.guild.begin().await?;
    if application_panel::find(unit.tx(), guild, args.panel).await?.is_none() {
        bail!("guild {guild} has no panel {}", args.panel);
    }
    let new =
        NewSubmission { id: args.id, panel: args.panel, applicant: args.applicant, answers: args.answers };
    let Some(submission) = application_submission::add(unit.tx(), guild, new, unit.now()).await? else {
        bail!("guild {guild} already has a submission with this number; nothing was changed");
    };
    let id = submission.submission_id;
    let after = json!({ "panel_id": submission.panel_id, "chat_id": submission.chat_id });
    unit.audit(guild, "application_submissions.add", id, json!({ "after": after })).await?;
    unit.commit().await?;
    output::print(&format!("added submission {id}"))
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let context = args.guild.open().await?;
    let conn = context.database.read();
    let mut rows = Vec::new();
    for row in application_submission::list(conn, guild, args.panel, Page::first(args.limit)).await? {
        let ticket = ticket::find_by_submission(conn, guild, row.submission_id).await?;
        let channel = output::or_dash(ticket.as_ref().and_then(|ticket| ticket.channel_id));
        let ticket = output::or_dash(ticket.map(|ticket| ticket.ticket_id));
        let (id, panel, chat) =
            (row.submission_id.to_string(), row.panel_id.to_string(), row.chat_id.to_string());
        rows.push([id, panel, chat, ticket, channel, output::time(row.created_at)]);
    }
    context.close().await;
    output::print_table(["submission", "panel", "applicant", "ticket", "channel", "sent"], rows)
}
