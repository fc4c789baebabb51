//! The environment of the demo: a data folder, a simulator on a free port, a database with the fixture, and a key.

use std::path::{Path, PathBuf};

use ::console::ConsoleSecret;
use anyhow::{Context as _, anyhow, ensure};
use entities::api_key::{NewKey, Scope};
use entities::key_text::KeyText;
use entities::{ChatId, GuildId, follow, guild};
use runtime::{Config, Context, DataDirLock, PlatformArgs, PlatformRate, Secret, Shutdown};
use simulator::{Application, RateLimit, SimulatorOptions, SimulatorState};
use tokio::net::TcpListener;

use super::community;
use super::expected::Expected;
use super::http_client::{HttpClient, local_url};
use crate::commands::console;
use crate::fixture::{self, DEMO, Fixture};
use crate::operator::create_key;
use crate::process::Process;

/// The simulator accepts any credential. This one is sent only to it.
const CREDENTIAL: &str = "demo";
/// The rates of the real platforms: chat requests a second, game requests a minute.
const CHAT_RATE: &str = "50";
const PLAY_RATE: &str = "300";
/// Percent of that rate for passes, as it is by default.
const FOLLOW_SHARE: u32 = 50;

pub(super) struct Environment {
    pub(super) api: HttpClient,
    pub(super) simulator: HttpClient,
    pub(super) expected: Expected,
    pub(super) key: KeyText,
    /// Signs in to the console once.
    pub(super) console: String,
    owner: ChatId,
    folder: PathBuf,
    /// No `serve` and no `restore` runs beside the demo.
    _lock: Option<DataDirLock>,
    temporary: Option<tempfile::TempDir>,
}

impl Environment {
    /// Prepares the process, whose loops the caller starts.
    pub(super) async fn prepare(
        data_dir: Option<PathBuf>,
        lives: bool,
        api: String,
        shutdown: &Shutdown,
    ) -> anyhow::Result<(Self, Process)> {
        let temporary = match data_dir {
            Some(_) => None,
            None => Some(
                tempfile::Builder::new()
                    .prefix("guildhall-demo-")
                    .tempdir()
                    .context("no temporary folder")?,
            ),
        };
        let folder = data_dir.or_else(|| temporary.as_ref().map(|dir| dir.path().to_owned()));
        // The command for another link works from any folder.
        let folder = std::path::absolute(folder.context("no folder for the data")?)?;
        let config = config(&folder)?;
        // Before the first write, so that a folder in use stays as it is.
        let lock = config.lock_data_dir()?;
        let simulator = simulate(&folder, shutdown).await?;
        let process = Process::embedded(&config, &platforms(&simulator, lives)?, shutdown.clone()).await?;
        let expected = Expected::from_fixture(DEMO)?;
        let key = load(&process.context, expected.guild, lives).await?;
        let (console, owner) = sign_in_link(&process, expected.guild, &api).await?;
        let api = HttpClient::new(api, Some(&key))?;
        let simulator = HttpClient::new(simulator, None)?;
        Ok((Self { api, simulator, expected, key, console, owner, folder, _lock: lock, temporary }, process))
    }

    pub(super) fn folder_name(&self) -> String {
        let end = if self.temporary.is_some() { " (removed at the end)" } else { "" };
        format!("{}{end}", self.folder.display())
    }

    /// Prints another link into this console, in a second terminal.
    pub(super) fn link_command(&self) -> String {
        let program = std::env::current_exe().unwrap_or_else(|_| "guildhall".into());
        format!(
            "{} console link --operator --guild {} --user {} --data-dir {} --public-url {}",
            quoted(&program),
            self.expected.guild,
            self.owner,
            quoted(&self.folder),
            self.api.base
        )
    }
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// A link into the console for the guild's owner, who may see the whole instance here.
async fn sign_in_link(process: &Process, guild: GuildId, api: &str) -> anyhow::Result<(String, ChatId)> {
    let person = console::person(&process.platforms, guild, None).await?;
    let owner = person.user;
    let (secret, context) = (ConsoleSecret::generate(), &process.context);
    let (conn, now) = (context.database.write(), context.clock.now());
    console::create(conn, guild, person, true, &secret, now).await?;
    Ok((console::url(api, &secret), owner))
}

fn config(folder: &Path) -> anyhow::Result<Config> {
    let database =
        runtime::DatabaseArgs { data_dir: folder.to_owned(), database_url_file: None, database_url: None };
    Ok(Config::embedded(&database)?)
}

/// Starts the simulator for as long as this process lives; returns its URL.
async fn simulate(folder: &Path, shutdown: &Shutdown) -> anyhow::Result<String> {
    let file = folder.join("demo-fixture.json");
    tokio::fs::write(&file, DEMO).await.with_context(|| format!("cannot write {}", file.display()))?;
    let state = tokio::task::spawn_blocking(move || SimulatorState::load(&file)).await??;
    let listener = TcpListener::bind("127.0.0.1:0").await.context("no free port for the simulator")?;
    let url = local_url(listener.local_addr()?);
    // The buckets of the real platform allow a guild about one change a second, which would take minutes.
    let options = SimulatorOptions { rate_limit: RateLimit::Fast, ..SimulatorOptions::default() };
    let serving = simulator::serve(listener, state, options, shutdown.hard().clone());
    shutdown.services().spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!(%error, "the simulator cannot serve");
        }
    });
    Ok(url)
}

fn platforms(simulator: &str, follows: bool) -> anyhow::Result<PlatformArgs> {
    let rate = |text: &str| text.parse::<PlatformRate>().map_err(|error| anyhow!(error));
    Ok(PlatformArgs {
        chat_api_url: Some(simulator.to_owned()),
        chat_token_file: None,
        chat_token: Some(Secret::from(CREDENTIAL)),
        chat_client_id: Some(Application::DEMO_ID.to_owned()),
        chat_client_secret_file: None,
        chat_client_secret: Some(Secret::from(Application::DEMO_SECRET)),
        chat_public_key: Some(Application::PUBLIC_KEY.to_owned()),
        play_api_url: Some(simulator.to_owned()),
        play_key_file: None,
        play_key: Some(Secret::from(CREDENTIAL)),
        play_client_id: Some(Application::PLAY_DEMO_ID.to_owned()),
        play_client_secret_file: None,
        play_webhook_secret_file: None,
        play_webhook_secret: None,
        play_client_secret: Some(Secret::from(Application::PLAY_DEMO_SECRET)),
        chat_rate: rate(CHAT_RATE)?,
        play_rate: rate(PLAY_RATE)?,
        // Members who were made wrong by hand wait for a person's preview.
        follow_share: if follows { FOLLOW_SHARE } else { 0 },
        // Receivers on this machine, to try webhooks with.
        webhook_networks: "127.0.0.0/8".parse().map_err(|error: &str| anyhow!(error))?,
    })
}

async fn load(context: &Context, guild: GuildId, follows: bool) -> anyhow::Result<KeyText> {
    let guilds = guild::list(context.database.read()).await?;
    ensure!(
        guilds.iter().all(|known| known.guild_id == guild),
        "the data folder holds other guilds: give the demo another --data-dir"
    );
    let now = context.clock.now();
    let text = KeyText::generate();
    let owner = "1000000000000000000".parse()?;
    let key = NewKey {
        guild,
        text: text.clone(),
        name: "demo".to_owned(),
        owner,
        scopes: Scope::ALL.iter().copied().collect(),
        expires_at: None,
        hot_path_factor: 1,
        parent: None,
        trusted: false,
    };
    let transaction = context.database.begin().await?;
    // A folder of an earlier run has all of it, with older times.
    let text_of_fixture = if guilds.is_empty() { community::fixture(DEMO, now)? } else { DEMO.to_owned() };
    let fixture = Fixture::parse(text_of_fixture.as_bytes(), "the demo's fixture")?.without_keys();
    fixture::load(&transaction, fixture, now).await?;
    if guilds.is_empty() {
        community::count_bans(&transaction, guild, now).await?;
    }
    create_key(&transaction, key, now).await?;
    if follows {
        // No pass starts before the checks have ended.
        let row = follow::lock(&transaction, guild, now).await?;
        follow::save(&transaction, follow::Model { every_minutes: Some(0), ..row }).await?;
    }
    transaction.commit().await?;
    Ok(text)
}
