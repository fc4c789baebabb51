//! `guildhall console sessions`: lists who is signed in to the console, and ends sessions (docs/rules.md 10).

use anyhow::bail;
use entities::ChatId;
use entities::console_session::{self, Filter, Model};
use sea_orm::prelude::Uuid;
use serde_json::{Value, json};

use crate::format::FormatArgs;
use crate::operator::OperatorArgs;
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List who is signed in, the latest first
    List(ListArgs),
    /// End sessions: pages refuse them at once, live sockets close within ten seconds
    End(EndArgs),
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Only sessions of this person
    #[arg(long, value_name = "CHAT_ID")]
    user: Option<ChatId>,
    /// Only sessions of operators
    #[arg(long)]
    operators: bool,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

#[derive(clap::Args)]
#[group(id = "which", required = true, multiple = false)]
pub(crate) struct Which {
    /// Its id, which `console sessions list` shows
    #[arg(value_name = "SESSION_ID")]
    session: Option<Uuid>,
    /// All sessions of this person
    #[arg(long, value_name = "CHAT_ID")]
    user: Option<ChatId>,
    /// All sessions of operators
    #[arg(long)]
    operators: bool,
    /// All sessions
    #[arg(long)]
    all: bool,
}

#[derive(clap::Args)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    operator: OperatorArgs,
}

const COLUMNS: [&str; 8] =
    ["session_id", "user_id", "user_name", "guild_id", "operator", "address", "created_at", "used_at"];

pub(super) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list(args).await,
        Command::End(args) => end(args).await,
    }
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let filter = Filter { user: args.user, operators: args.operators, ..Filter::default() };
    let sessions = console_session::all(context.database.read(), filter, context.clock.now()).await?;
    context.close().await;
    args.format.list(COLUMNS, sessions.iter().map(record).collect())
}

fn record(session: &Model) -> Value {
    json!({
        "session_id": session.session_id,
        "user_id": session.user_id,
        "user_name": session.user_name,
        "guild_id": session.guild_id,
        "operator": session.operator,
        "client": session.client,
        "address": session.address,
        "created_at": output::time(session.created_at),
        "used_at": output::time(session.used_at),
        "expires_at": output::time(session.expires_at),
    })
}

async fn end(EndArgs { which, operator }: EndArgs) -> anyhow::Result<()> {
    let mut unit = operator.begin().await?;
    let filter = Filter { session: which.session, user: which.user, operators: which.operators };
    let sessions = console_session::all(unit.tx(), filter, unit.now()).await?;
    if let (Some(session), true) = (which.session, sessions.is_empty()) {
        bail!("there is no live session {session}; `guildhall console sessions list` shows the live ones");
    }
    for session in &sessions {
        console_session::end(unit.tx(), session.user_id, session.session_id).await?;
        for guild in console_session::guilds(unit.tx(), session).await? {
            let metadata = json!({ "session_id": session.session_id });
            unit.audit(guild, "console.session_ended", session.user_id, metadata);
        }
    }
    unit.commit().await?;
    for session in &sessions {
        output::print(&format!("ended session {} of {}", session.session_id, session.user_name))?;
    }
    if sessions.is_empty() { output::print("there was no such session") } else { Ok(()) }
}
