//! `guildhall console operators`: who may see and operate the whole instance (docs/rules.md 10).

use anyhow::bail;
use entities::{ChatId, console_operator};
use serde_json::{Value, json};

use crate::operator::{ListArgs, OperatorArgs};
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List the operators; `console link --operator` adds one
    List(ListArgs),
    /// Revoke an operator's right; their sessions lose it with the next request
    Remove(RemoveArgs),
}

#[derive(clap::Args)]
pub(crate) struct RemoveArgs {
    /// Their chat id
    #[arg(value_name = "CHAT_ID")]
    user: ChatId,
    #[command(flatten)]
    operator: OperatorArgs,
}

const COLUMNS: [&str; 4] = ["user_id", "user_name", "added_by", "added_at"];

pub(super) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list(args).await,
        Command::Remove(args) => remove(args).await,
    }
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let operators = console_operator::list(context.database.read()).await?;
    context.close().await;
    args.format.list(COLUMNS, operators.iter().map(record).collect())
}

fn record(operator: &console_operator::Model) -> Value {
    json!({
        "user_id": operator.user_id,
        "user_name": operator.user_name,
        "added_by": operator.added_by,
        "added_at": output::time(operator.added_at),
    })
}

async fn remove(RemoveArgs { user, operator }: RemoveArgs) -> anyhow::Result<()> {
    let unit = operator.begin().await?;
    if !console_operator::remove(unit.tx(), user).await? {
        bail!("{user} is not an operator; `guildhall console operators list` shows operators");
    }
    unit.commit().await?;
    output::print(&format!("{user} is no longer an operator; their sessions see only guilds"))
}
