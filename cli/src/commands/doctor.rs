//! `guildhall doctor`: whether everything a deployment needs is there, and what to do where it is not.

mod guild;
mod platforms;
mod report;
mod servers;

use anyhow::bail;
use entities::GuildId;
use runtime::{BrokerArgs, Config, DatabaseArgs, PlatformArgs, StartError};

use self::platforms::Clients;
use self::report::Report;
use crate::process::database_name;

/// Checks the configuration, the servers, both platforms and the bot's rights in each guild. Changes nothing.
///
/// Prints a line for each check, with the cure where it failed; exits with 1 when any failed. Of the chat platform the bot
/// needs the privileged intent Server Members (developer portal, Bot) and the permissions Manage Roles, Manage
/// Nicknames, Ban Members (mirrored bans) and Manage Channels (tickets), and its highest role above the roles it grants.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// This guild only [default: all of them]
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    /// Print the checks as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    broker: BrokerArgs,
    #[command(flatten)]
    platforms: PlatformArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let mut report = Report::default();
    examine(&args, &mut report).await;
    report.print(args.json)?;
    match report.failed() {
        0 => Ok(()),
        failed => bail!("{failed} of {} checks failed", report.len()),
    }
}

/// What a check needs that failed before it is left out: its own cure would mislead.
async fn examine(args: &Args, report: &mut Report) {
    let config = report.check("configuration", configuration(args));
    let Some(config) = config else { return };
    let guilds = servers::database(&config, args.guild, report).await;
    servers::broker(&config, report).await;
    let Some(clients) = report.quietly("platforms", Clients::new(&args.platforms)) else { return };
    let token = clients.check_token(report).await;
    let Some(guilds) = guilds else { return };
    for guild in guilds.iter().filter(|_| token) {
        guild::check(&clients, guild, report).await;
    }
    clients.check_play_key(&guilds, report).await;
}

fn configuration(args: &Args) -> Result<(Config, String), report::Problem> {
    let read = || -> Result<Config, StartError> {
        args.platforms.checked()?;
        Config::either(&args.database, &args.broker)
    };
    let config = read()?;
    let broker = if config.broker.is_some() { "RabbitMQ and Redis" } else { "one process" };
    let name = format!("{}, {broker}", database_name(&config));
    Ok((config, name))
}
