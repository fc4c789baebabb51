//! `guildhall doctor`: checks what a deployment needs, and says how to fix each failed check.

mod application;
mod clock;
mod guild;
mod platforms;
mod proxies;
mod report;
mod servers;

use anyhow::bail;
use entities::GuildId;
use runtime::{Config, HttpArgs, ListenArgs, Origin, PlatformConfig, StartError};

use self::application::Commands;
use self::report::Report;
use crate::format::FormatArgs;
use crate::process::{BackendArgs, ChatEvents, EventArgs, database_name};

/// Checks the configuration, the servers and their clocks, both platforms, the bot's application there and its permissions in
/// each guild. Changes nothing.
///
/// Prints a line for each check, with the cure if it failed; exits with 1 if any failed. Run it with the settings of the
/// processes. On the chat platform the bot
/// needs the privileged intent Server Members (developer portal, Bot) and the permissions Manage Roles, Manage
/// Nicknames, Ban Members (mirrored bans) and Manage Channels (tickets), and its highest role above the roles it grants.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Check this guild only [default: all guilds]
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    backend: BackendArgs,
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    http: HttpArgs,
    #[command(flatten)]
    events: EventArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let mut report = Report::default();
    examine(&args, &mut report).await;
    report.print(args.format)?;
    match report.failed() {
        0 => Ok(()),
        failed => bail!("{failed} of {} checks failed", report.len()),
    }
}

/// Skips checks that depend on a failed one, because their cures would mislead.
async fn examine(args: &Args, report: &mut Report) {
    let config = report.check("configuration", configuration(args));
    let Some((config, credentials)) = config else { return };
    report.record("proxies", proxies::check(&args.listen, &args.http.trusted_proxies.0));
    let guilds = servers::database(&config, args.guild, report).await;
    servers::broker(&config, report).await;
    let clients = platforms::clients(&credentials);
    let Some(clients) = report.record_failure("platforms", clients) else { return };
    let public = args.http.public_url.as_ref().map(|Origin(url)| url.as_str());
    let has_address = application::check_public_url(&credentials, public, report);
    let token = platforms::check_token(&clients, report).await;
    if token {
        platforms::check_clock(&clients, report).await;
        let commands = match (config.broker.is_some(), args.events.chat_events) {
            _ if clients.interaction_key.is_some() => Commands::ByHttp,
            (true, _) => Commands::ByGateway,
            (false, ChatEvents::On) => Commands::ByStream,
            (false, ChatEvents::Off) => Commands::Off,
        };
        application::check(&clients, &credentials, (public, commands), report).await;
    }
    let Some(guilds) = guilds else { return };
    for known in &guilds {
        if has_address {
            guild::check_ways(&clients, public.is_some(), known, report);
        }
        if token {
            guild::check(&clients, known, report).await;
        }
    }
    platforms::check_play_key(&clients, &guilds, report).await;
}

fn configuration(args: &Args) -> Result<((Config, PlatformConfig), String), report::Problem> {
    let read = || -> Result<(Config, PlatformConfig), StartError> {
        let credentials = args.backend.platforms.checked()?;
        args.listen.address()?;
        args.http.metrics_address()?;
        Ok((Config::either(&args.backend.database, &args.backend.broker)?, credentials))
    };
    let (config, credentials) = read()?;
    let broker = if config.broker.is_some() { "RabbitMQ and Redis" } else { "one process" };
    let name = format!("{}, {broker}", database_name(&config));
    Ok(((config, credentials), name))
}
