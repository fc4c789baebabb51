//! `guildhall submissions`: what people sent in to a guild's panels (docs/rules.md 7).

use anyhow::bail;
use entities::application_submission::{self, NewSubmission};
use entities::{ChatId, GuildId, Page, PanelId, SubmissionId, application_panel, ticket};
use serde_json::{Map, Value, json};

use crate::access::{self, AccessArgs};
use crate::output::{self, Table};

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
    /// What was answered, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = answers)]
    answers: Value,
    /// The guild
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Those to one panel only
    #[arg(long, value_name = "PANEL_ID")]
    panel: Option<PanelId>,
    /// At most this many
    #[arg(long, default_value_t = 50)]
    limit: u64,
    /// The guild
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
    #[command(flatten)]
    access: AccessArgs,
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
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    access::require_guild(&transaction, args.guild).await?;
    if application_panel::find(&transaction, args.guild, args.panel).await?.is_none() {
        bail!("guild {} has no panel {}", args.guild, args.panel);
    }
    let new =
        NewSubmission { id: args.id, panel: args.panel, applicant: args.applicant, answers: args.answers };
    let Some(submission) = application_submission::add(&transaction, args.guild, new, now).await? else {
        bail!("guild {} has a submission with this number already; nothing was changed", args.guild);
    };
    let after = json!({ "panel_id": submission.panel_id, "chat_id": submission.chat_id });
    let metadata = Map::from_iter([("after".to_owned(), after)]);
    let action = (args.guild, "application_submissions.add");
    access::audit(&transaction, action, submission.submission_id.to_string(), metadata, now).await?;
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    output::print(&format!("added submission {}", submission.submission_id))
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let conn = context.database.read();
    access::require_guild(conn, args.guild).await?;
    let mut table = Table::new(&["submission", "panel", "applicant", "ticket", "channel", "sent"]);
    let rows = application_submission::list(conn, args.guild, args.panel, Page::first(args.limit)).await?;
    for row in rows {
        let ticket = ticket::find_by_submission(conn, args.guild, row.submission_id).await?;
        let channel = ticket.as_ref().and_then(|ticket| ticket.channel_id);
        let ticket = ticket.map_or_else(|| "-".to_owned(), |ticket| ticket.ticket_id.to_string());
        let channel = channel.map_or_else(|| "-".to_owned(), |channel| channel.to_string());
        let (id, panel, chat) =
            (row.submission_id.to_string(), row.panel_id.to_string(), row.chat_id.to_string());
        table.row(&[id, panel, chat, ticket, channel, output::time(row.created_at)]);
    }
    context.close().await;
    output::print(&table.render())
}
