//! `guildhall jobs pause` and `resume`, of a class or a guild.

use anyhow::bail;
use entities::GuildId;
use entities::job::Class;
use entities::job_pause::Scope;

use crate::operator::{OperatorArgs, UnitOfWork, operator, require_guild};
use crate::output;

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["class", "guild"])))]
pub(crate) struct ScopeArgs {
    /// Jobs of this class: interactive, default, bulk, delivery, maintenance, quarantine
    #[arg(value_name = "CLASS", value_parser = class)]
    class: Option<Class>,
    /// Jobs of this guild
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    #[command(flatten)]
    operator: OperatorArgs,
}

#[derive(clap::Args)]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    /// Why, for other operators: shown by the console and in the guild's audit log
    #[arg(long, value_name = "TEXT", default_value_t)]
    reason: String,
}

fn class(word: &str) -> Result<Class, String> {
    word.parse().map_err(|_| format!("classes are {}", Class::NAMES.join(", ")))
}

pub(super) async fn pause(args: PauseArgs) -> anyhow::Result<()> {
    let (unit, scope, what) = args.scope.begin().await?;
    let changed = operator().pause(unit.tx(), scope, &args.reason, unit.now()).await?;
    unit.commit().await?;
    output::print(&if changed {
        format!("jobs of {what} are not started any more; running jobs continue")
    } else {
        format!("jobs of {what} were paused already")
    })
}

pub(super) async fn resume(args: ScopeArgs) -> anyhow::Result<()> {
    let (unit, scope, what) = args.begin().await?;
    let changed = operator().resume(unit.tx(), scope, unit.now()).await?;
    unit.commit().await?;
    output::print(&if changed {
        format!("jobs of {what} are started again")
    } else {
        format!("jobs of {what} were not paused")
    })
}

impl ScopeArgs {
    /// What is paused or resumed, and its name.
    async fn begin(&self) -> anyhow::Result<(UnitOfWork, Scope, String)> {
        let unit = self.operator.begin().await?;
        match (self.class, self.guild) {
            (Some(class), _) => Ok((unit, Scope::Class(class), format!("class {}", class.name()))),
            (None, Some(guild)) => {
                require_guild(unit.tx(), guild).await?;
                Ok((unit, Scope::Guild(guild), format!("guild {guild}")))
            }
            (None, None) => bail!("name a class, or a --guild"),
        }
    }
}
