//! `guildhall panels`: the application panels of a guild (docs/rules.md 7).

use anyhow::bail;
use entities::application_panel::{self, NewPanel, Questions};
use entities::{ChannelId, PanelId, RoleId, staff_role};
use serde_json::json;

use crate::fields;
use crate::operator::{GuildArgs, GuildListArgs};
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Add a panel
    Add(AddArgs),
    /// List the panels of a guild; where STAFF ROLE IDS is `-`, all staff roles see the tickets
    List(GuildListArgs),
}

#[derive(clap::Args)]
pub(crate) struct AddArgs {
    /// Its name; tickets are named after it
    #[arg(long, value_parser = fields::name)]
    name: String,
    /// Number of the panel [default: the next free one]
    #[arg(long, value_name = "PANEL_ID")]
    id: Option<PanelId>,
    /// The chat channel category under which tickets open
    #[arg(long, value_name = "CHANNEL_ID")]
    category: Option<ChannelId>,
    /// A staff role whose holders see the tickets; may be repeated [default: all staff roles]
    #[arg(long = "staff-role", value_name = "ROLE_ID")]
    staff_roles: Vec<RoleId>,
    /// What applicants are asked: a JSON array of at most 10 objects, such as `[{"label": "Why?", "kind": "text"}]`. `kind` is
    /// `text`, `paragraph`, `agree`, or `choice` with `options`; `"required": false` makes the answer optional
    #[arg(long, value_name = "JSON", default_value = "[]", value_parser = fields::questions)]
    questions: Questions,
    /// The chat role that an acceptance gives
    #[arg(long, value_name = "ROLE_ID")]
    accept_role: Option<RoleId>,
    /// Take no submissions
    #[arg(long)]
    closed: bool,
    #[command(flatten)]
    guild: GuildArgs,
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
    if let Some(unknown) = staff_role::first_unknown(unit.tx(), guild, &args.staff_roles).await? {
        bail!("--staff-role: guild {guild} has no staff role {unknown}; nothing was changed");
    }
    let staff_roles = Some(args.staff_roles).filter(|roles| !roles.is_empty());
    let new = NewPanel {
        id: args.id,
        name: args.name,
        category: args.category,
        staff_roles,
        questions: args.questions,
        accept_role: args.accept_role,
        is_open: !args.closed,
    };
    let Some(panel) = application_panel::add(unit.tx(), guild, new, unit.now()).await? else {
        bail!("guild {guild} has, or had, a panel with this number; nothing was changed");
    };
    let after = json!({ "name": panel.name, "category_id": panel.category_id,
                        "staff_role_ids": panel.staff_role_ids, "questions": panel.questions,
                        "accept_role_id": panel.accept_role_id, "open": panel.is_open });
    unit.audit(guild, "application_panels.add", panel.panel_id, json!({ "after": after }));
    unit.commit().await?;
    output::print(&format!("added panel {}", panel.panel_id))
}

async fn list(GuildListArgs { format, guild }: GuildListArgs) -> anyhow::Result<()> {
    let context = guild.open().await?;
    let panels = application_panel::list(context.database.read(), guild.guild).await?;
    context.close().await;
    let rows = panels.into_iter().map(|panel| {
        json!({
            "panel_id": panel.panel_id,
            "name": panel.name,
            "category_id": panel.category_id,
            "staff_role_ids": panel.staff_role_ids,
            "questions": panel.questions,
            "accept_role_id": panel.accept_role_id,
            "open": panel.is_open,
            "created_at": output::time(panel.created_at),
        })
    });
    format.list(
        ["panel_id", "name", "category_id", "staff_role_ids", "accept_role_id", "open", "created_at"],
        rows.collect(),
    )
}

#[cfg(test)]
mod tests {
    use clap::Args as _;
    use entities::application_panel::QUESTIONS_MAX;

    use super::*;

    #[test]
    fn the_help_says_how_many_questions_there_may_be() {
        let help = AddArgs::augment_args(clap::Command::new("add")).render_long_help().to_string();
        assert!(help.contains(&format!("at most {QUESTIONS_MAX} objects")), "{help}");
    }
}
