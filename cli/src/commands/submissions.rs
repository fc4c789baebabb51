//! `guildhall submissions`: applications submitted to the panels of a guild (docs/rules.md 7).

use anyhow::bail;
use entities::application_submission::{self, Filter, NewSubmission};
use entities::{ChatId, GuildId, Page, PanelId, SubmissionId, application_panel, ticket};
use sea_orm::ConnectionTrait;
use serde_json::{Map, Value, json};

use crate::operator::{GuildArgs, GuildListArgs, LimitArgs};
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
    answers: Map<String, Value>,
    #[command(flatten)]
    guild: GuildArgs,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Submissions to this panel only
    #[arg(long, value_name = "PANEL_ID")]
    panel: Option<PanelId>,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    list: GuildListArgs,
}

fn answers(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(answers)) => Ok(answers),
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
    let mut unit = args.guild.begin().await?;
    let panel = require_panel(unit.tx(), guild, args.panel).await?;
    let Some(panel) = panel.present().filter(|panel| panel.is_open) else {
        bail!("panel {} takes no submissions; nothing was changed", args.panel);
    };
    if let Some(open) = application_submission::open_of(unit.tx(), guild, args.panel, args.applicant).await? {
        bail!("{} has an open submission to this panel: {open}; nothing was changed", args.applicant);
    }
    let answers = match panel.questions.check(args.answers) {
        Ok(answers) => Value::Object(answers),
        Err(why) => bail!("--answers: {why}; nothing was changed"),
    };
    let new = NewSubmission { id: args.id, panel: args.panel, applicant: args.applicant, answers };
    let Some(submission) = application_submission::add(unit.tx(), guild, new, unit.now()).await? else {
        bail!("guild {guild} already has a submission with this number; nothing was changed");
    };
    let id = submission.submission_id;
    let after = json!({ "panel_id": submission.panel_id, "chat_id": submission.chat_id });
    unit.audit(guild, "application_submissions.add", id, json!({ "after": after }));
    unit.commit().await?;
    output::print(&format!("added submission {id}"))
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let GuildListArgs { format, guild } = args.list;
    let context = guild.open().await?;
    let (conn, guild) = (context.database.read(), guild.guild);
    if let Some(panel) = args.panel {
        require_panel(conn, guild, panel).await?;
    }
    let page = Page::first(args.limit.limit);
    let filter = Filter { panel: args.panel, ..Filter::default() };
    let mut rows = Vec::new();
    for row in application_submission::list(conn, guild, filter, page).await? {
        let ticket = ticket::find_by_submission(conn, guild, row.submission_id).await?;
        rows.push(json!({
            "submission_id": row.submission_id,
            "panel_id": row.panel_id,
            "chat_id": row.chat_id,
            "answers": row.answers,
            "state": row.state,
            "ticket_id": ticket.as_ref().map(|ticket| ticket.ticket_id),
            "channel_id": ticket.and_then(|ticket| ticket.channel_id),
            "created_at": output::time(row.created_at),
        }));
    }
    context.close().await;
    format.list(
        ["submission_id", "panel_id", "chat_id", "state", "ticket_id", "channel_id", "created_at"],
        rows,
    )
}

async fn require_panel<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    panel: PanelId,
) -> anyhow::Result<application_panel::Model> {
    match application_panel::find(conn, guild, panel).await? {
        Some(panel) => Ok(panel),
        None => bail!("guild {guild} has no panel {panel}: see `guildhall panels list`"),
    }
}
