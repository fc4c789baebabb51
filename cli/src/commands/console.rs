//! `guildhall console`: links that sign in to the console without an application on the chat platform, sessions, and the
//! operators of the instance.

mod operators;
mod sessions;

use anyhow::Context as _;
use console::ConsoleSecret;
use entities::{ChatId, Conn, GuildId, Timestamp, console_link, console_operator};
use platforms::{CallContext, GuildAccess, PlatformError, Platforms};
use runtime::{ListenArgs, Origin, PlatformArgs};
use serde_json::json;

use crate::operator::{GuildArgs, os_user};
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Print a link that signs one person in to the console, once, within ten minutes
    Link(Box<Args>),
    /// List and end sessions
    #[command(subcommand)]
    Sessions(sessions::Command),
    /// List operators of the instance, and revoke their right
    #[command(subcommand)]
    Operators(operators::Command),
}

/// Print a link that signs one person in to the console, once, within ten minutes.
///
/// Only the link goes to standard output. In the console the person has the rights that the guild gives them:
/// people who manage it on the chat platform are admins, staff have the permissions of their role. Without a
/// bot token the link itself makes an admin of its guild. The command says whether the person is one.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    guild: GuildArgs,
    /// Chat id of the person [default: the owner of the guild on the chat platform]
    #[arg(long, value_name = "CHAT_ID")]
    user: Option<ChatId>,
    /// The person may also see and operate the whole instance: workers, queues, schedules, all guilds. They
    /// stay an operator until `console operators remove` revokes the right; only sessions of such links have
    /// it
    #[arg(long)]
    operator: bool,
    /// The URL for people's browsers [default: the address of the API]
    #[arg(long, env = "GUILDHALL_PUBLIC_URL", value_name = "URL")]
    public_url: Option<Origin>,
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    platforms: PlatformArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Link(args) => link(*args).await,
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
    let mut unit = args.guild.begin().await?;
    let (user, secret, admin) = (person.user, ConsoleSecret::generate(), person.admin);
    create(unit.tx(), guild, person, args.operator, &secret, unit.now()).await?;
    unit.audit(guild, "console.link", user, json!({ "operator": args.operator, "admin": admin.is_admin() }));
    unit.commit().await?;
    output::note(admin.words());
    if admin == Admin::Refused
        && let Ok(bot) = platforms.check_chat_token().await
    {
        output::note(&format!("Invite the bot: {}", Platforms::invitation(bot, guild)));
    }
    output::note("This link signs in once, within ten minutes:");
    output::deliver(&url(&base, &secret)).context("the link cannot be written")
}

pub(crate) fn url(base: &str, secret: &ConsoleSecret) -> String {
    format!("{base}{}/link/{}", console::ROOT, secret.reveal())
}

/// The person whom a link signs in.
pub(crate) struct Person {
    pub(crate) user: ChatId,
    /// On the chat platform; `None`: it does not say.
    pub(crate) name: Option<String>,
    admin: Admin,
}

/// Whether the link makes an admin of the guild, decided when it is made (docs/rules.md 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admin {
    Manages,
    DoesNotManage,
    NotMember,
    /// Without a bot token only the link can make an admin.
    ByLink,
    /// The bot is not in the guild.
    Refused,
    Unknown,
}

impl Admin {
    fn of(access: Result<Option<&GuildAccess>, &PlatformError>) -> Self {
        match access {
            Ok(Some(access)) if access.manages() => Self::Manages,
            Ok(Some(_)) => Self::DoesNotManage,
            Ok(None) => Self::NotMember,
            Err(PlatformError::NotConfigured(_)) => Self::ByLink,
            Err(PlatformError::NotFound(_) | PlatformError::Forbidden { .. }) => Self::Refused,
            Err(_) => Self::Unknown,
        }
    }

    fn is_admin(self) -> bool {
        matches!(self, Self::Manages | Self::ByLink)
    }

    fn words(self) -> &'static str {
        match self {
            Self::Manages => "It makes an admin: the person manages the guild on the chat platform.",
            Self::DoesNotManage => {
                "It does not make an admin: the person does not manage the guild on the chat platform."
            }
            Self::NotMember => "It does not make an admin: the person is not in the guild.",
            Self::ByLink => "It makes an admin: without a bot token the platform cannot say who is one.",
            Self::Refused => "It does not make an admin: the bot is not in the guild. Invite it first.",
            Self::Unknown => {
                "It makes an admin only if the chat platform confirms it; it does not answer now."
            }
        }
    }
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
    let access = platforms.chat.guild_access(call, user).await;
    let name = access.as_ref().ok().and_then(Option::as_ref).map(|access| access.user_name.clone());
    Ok(Person { user, name, admin: Admin::of(access.as_ref().map(Option::as_ref)) })
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
        admin: person.admin.is_admin(),
        operator,
        expires_at: now + console_link::LIFETIME,
    };
    Ok(console_link::create(conn, link).await?)
}
