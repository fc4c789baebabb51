//! `guildhall jobs pause` and `resume`: a class or a guild.

use anyhow::bail;
use entities::job::Class;
use entities::job_pause::{self, Scope};
use entities::{GuildId, Timestamp};
use sea_orm::DatabaseTransaction;

use crate::access::{self, AccessArgs};
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
    access: AccessArgs,
}

fn class(word: &str) -> Result<Class, String> {
    word.parse().map_err(|_| format!("classes are {}", Class::NAMES.join(", ")))
}

pub(super) async fn run(args: PauseArgs, pause: bool) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let (scope, what) = match (args.class, args.guild) {
        (Some(class), _) => (Scope::Class(class), format!("class {}", class.name())),
        (None, Some(guild)) => {
            access::require_guild(context.database.read(), guild).await?;
            (Scope::Guild(guild), format!("guild {guild}"))
        }
        (None, None) => bail!("name a class, or a --guild"),
    };
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    let changed = change(&transaction, (scope, pause), now).await?;
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    output::print(&match (pause, changed) {
        (true, true) => format!("jobs of {what} are not started any more; what runs goes on"),
        (true, false) => format!("jobs of {what} were paused already"),
        (false, true) => format!("jobs of {what} are started again"),
        (false, false) => format!("jobs of {what} were not paused"),
    })
}

async fn change(
    transaction: &DatabaseTransaction,
    (scope, pause): (Scope, bool),
    now: Timestamp,
) -> anyhow::Result<bool> {
    let (changed, action) = if pause {
        (job_pause::create(transaction, scope, now).await?, "jobs.pause")
    } else {
        (job_pause::delete(transaction, scope).await?, "jobs.resume")
    };
    if let (true, Scope::Guild(guild)) = (changed, scope) {
        let metadata = serde_json::Map::new();
        access::audit(transaction, (guild, action), guild.to_string(), metadata, now).await?;
    }
    Ok(changed)
}
