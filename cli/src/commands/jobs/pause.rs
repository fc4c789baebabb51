//! `guildhall jobs pause` and `resume`, of a class or a guild.

use anyhow::bail;
use entities::GuildId;
use entities::job::Class;
use entities::job_pause::{self, Scope};
use serde_json::json;

use crate::operator::{OperatorArgs, require_guild};
use crate::output;

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["class", "guild"])))]
pub(crate) struct PauseArgs {
    /// Jobs of this class: interactive, default, bulk, maintenance, quarantine
    #[arg(value_name = "CLASS", value_parser = class)]
    class: Option<Class>,
    /// Jobs of this guild
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    #[command(flatten)]
    operator: OperatorArgs,
}

fn class(word: &str) -> Result<Class, String> {
    word.parse().map_err(|_| format!("classes are {}", Class::NAMES.join(", ")))
}

pub(super) async fn run(args: PauseArgs, pause: bool) -> anyhow::Result<()> {
    let unit = args.operator.begin().await?;
    let (scope, what) = match (args.class, args.guild) {
        (Some(class), _) => (Scope::Class(class), format!("class {}", class.name())),
        (None, Some(guild)) => {
            require_guild(unit.tx(), guild).await?;
            (Scope::Guild(guild), format!("guild {guild}"))
        }
        (None, None) => bail!("name a class, or a --guild"),
    };
    let (changed, action) = if pause {
        (job_pause::create(unit.tx(), scope, unit.now()).await?, "jobs.pause")
    } else {
        (job_pause::delete(unit.tx(), scope).await?, "jobs.resume")
    };
    if let (true, Scope::Guild(guild)) = (changed, scope) {
        unit.audit(guild, action, guild, json!({})).await?;
    }
    unit.commit().await?;
    output::print(&match (pause, changed) {
        (true, true) => format!("jobs of {what} are not started any more; running jobs continue"),
        (true, false) => format!("jobs of {what} were paused already"),
        (false, true) => format!("jobs of {what} are started again"),
        (false, false) => format!("jobs of {what} were not paused"),
    })
}
