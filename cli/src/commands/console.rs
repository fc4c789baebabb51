//! `guildhall console`: links that sign in to the console without an application on the chat platform, sessions, and the
//! operators of the instance.

mod operators;
mod sessions;

use anyhow::Context as _;
use console::ConsoleSecret;
use entities::{ChatId, Conn, GuildId, Timestamp, console_link, console_operator};
use platforms::{CallContext, PlatformError, Platforms};
use runtime::{ListenArgs, Origin, PlatformArgs};
use serde_json::json;

use crate::operator::{GuildArgs, os_user};
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Print a link that signs one person in to the console, once, within ten minutes
    Link(Args),
    /// List and end sessions
    #[command(subcommand)]
    Sessions(sessions::Command),
    /// List operators of the instance, and take the right from them
    #[command(subcommand)]
    Operators(operators::Command),
}

/// Print a link that signs one person in to the console, once, within ten minutes.
///
/// The link goes to standard output alone. The person has there the rights that the guild gives them: who manages it on
/// the chat platform is admin, staff have the permissions of their role. Without a bot token the link itself makes an
/// admin of its guild.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    guild: GuildArgs,
    /// Chat id of the person [default: the owner of the guild on the chat platform]
    #[arg(long, value_name = "CHAT_ID")]
    user: Option<ChatId>,
    /// The person may also see and steer the whole instance: workers, queues, schedules, all guilds. They stay an operator
    /// until `console operators remove` takes the right; only sessions of such links have it
    #[arg(long)]
    operator: bool,
    /// What people's browsers see [default: the address of the API]
    #[arg(long, env = "GUILDHALL_PUBLIC_URL", value_name = "URL")]
    public_url: Option<Origin>,
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    platforms: PlatformArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Link(args) => link(args).await,
        Command::Sessions(command) => sessions::run(command).await,
        Command::Operators(command) => operators::run(command).await,
    }
}

async fn link(args: Args) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let platforms = Platforms::new(&args.platforms.checked()?, None)?;
    let base = match args.public_url {
        Some(Origin(url)) => url,
        None => format!("http://{}", args.listen.address()?),
    };
    let person = person(&platforms, guild, args.user).await?;
    let unit = args.guild.begin().await?;
    let (user, secret) = (person.user, ConsoleSecret::generate());
    create(unit.tx(), guild, person, args.operator, &secret, unit.now()).await?;
    unit.audit(guild, "console.link", user, json!({ "operator": args.operator })).await?;
    unit.commit().await?;
    output::note("This link signs in once, within ten minutes:");
    output::deliver(&url(&base, &secret)).context("the link cannot be written")
}

pub(crate) fn url(base: &str, secret: &ConsoleSecret) -> String {
    format!("{base}{}/link/{}", console::ROOT, secret.reveal())
}

/// Whom a link signs in.
pub(crate) struct Person {
    pub(crate) user: ChatId,
    /// On the chat platform; `None`: it does not say.
    pub(crate) name: Option<String>,
}

/// The owner or the named person, as the chat platform names them.
pub(crate) async fn person(
    platforms: &Platforms,
    guild: GuildId,
    user: Option<ChatId>,
) -> anyhow::Result<Person> {
    let call = CallContext::interactive(guild);
    let user = match user {
        Some(user) => user,
        None => platforms.chat.guild_owner(call).await.map(|(_, owner)| owner).map_err(|error| match error {
            PlatformError::NotConfigured(variable) => anyhow::anyhow!(
                "without {variable} the owner of the guild is not known: set it, or name the person with --user"
            ),
            error => anyhow::anyhow!("the owner of the guild cannot be read: {error}; or name the person with --user"),
        })?,
    };
    let known = platforms.chat.guild_access(call, user).await.ok().flatten();
    Ok(Person { user, name: known.map(|access| access.user_name) })
}

/// A person without a name on the chat platform has that of their link, or else their id.
pub(crate) async fn create(
    conn: &impl Conn,
    guild: GuildId,
    person: Person,
    operator: bool,
    secret: &ConsoleSecret,
    now: Timestamp,
) -> anyhow::Result<()> {
    let name = match person.name {
        Some(name) => name,
        None => {
            let link = entities::link::find_by_chat(conn, guild, person.user).await?;
            link.map_or_else(|| person.user.to_string(), |link| link.play_username)
        }
    };
    if operator {
        let (user_name, added_by) = (name.clone(), os_user());
        let operator = console_operator::Model { user_id: person.user, user_name, added_by, added_at: now };
        console_operator::add(conn, operator).await?;
    }
    let link = console_link::Model {
        secret_hash: secret.hash().to_vec(),
        guild_id: guild,
        user_id: person.user,
        user_name: name,
        operator,
        expires_at: now + console_link::LIVES,
    };
    Ok(console_link::create(conn, link).await?)
}
