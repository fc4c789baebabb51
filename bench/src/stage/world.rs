//! A deployment of its own for each test: data, fixture, simulator, and the processes of one mode.

use std::cell::RefCell;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::command::run_into;
use super::operate::Roles;
use super::simulator::Simulator;
use super::{Api, Finished, Fixture, Guild, Process, Servers, TestDatabase, free_address, run_command};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Embedded,
    Distributed,
}

/// What a world is made of.
#[derive(Clone)]
pub struct Setup {
    pub mode: Mode,
    /// Members of each of the two guilds.
    pub members: usize,
    /// How late the platforms answer.
    pub latency_ms: u32,
    /// How many api, worker and scheduler processes; one of each in most tests.
    pub processes: usize,
    /// Servers other than those of `./test`.
    pub servers: Option<Servers>,
    /// Beside what every process gets; an empty value unsets.
    pub env: Vec<(String, String)>,
    /// Guilds of these sizes in which no member is right, instead of the two with `members`.
    pub sizes: Vec<usize>,
    /// Of the guilds of these sizes, half of the members lack their role and half have an old nickname.
    pub renamed_half: bool,
    /// Whose limits the simulator keeps: as `guildhall simulate --rate-limit`.
    pub limits: &'static str,
    /// How much later than `latency_ms` answers may come, each way.
    pub jitter_ms: u32,
}

impl Setup {
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            members: 30,
            latency_ms: 0,
            processes: 1,
            servers: None,
            env: Vec::new(),
            sizes: Vec::new(),
            renamed_half: false,
            limits: "off",
            jitter_ms: 0,
        }
    }

    #[must_use]
    pub fn members(self, members: usize) -> Self {
        Self { members, ..self }
    }

    #[must_use]
    pub fn latency_ms(self, latency_ms: u32) -> Self {
        Self { latency_ms, ..self }
    }

    #[must_use]
    pub fn sizes(self, sizes: &[usize]) -> Self {
        Self { sizes: sizes.to_vec(), ..self }
    }

    #[must_use]
    pub fn renamed_half(self) -> Self {
        Self { renamed_half: true, ..self }
    }

    /// Limits of the simulator, and the pace that keeps to them: the chat platform's global one (`fast`), or all (`discord`).
    #[must_use]
    pub fn paced(self, limits: &'static str) -> Self {
        let paced = Self { limits, ..self }.env("GUILDHALL_CHAT_RATE", "");
        if limits == "discord" { paced.env("GUILDHALL_PLAY_RATE", "") } else { paced }
    }

    fn fixture(&self) -> Fixture {
        match (self.sizes.is_empty(), self.renamed_half) {
            (true, _) => Fixture::new(2, self.members),
            (false, false) => Fixture::differing(&self.sizes),
            (false, true) => Fixture::differing(&self.sizes).renamed_half(),
        }
    }

    #[must_use]
    pub fn processes(self, processes: usize) -> Self {
        Self { processes, ..self }
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }
}

pub struct World {
    pub setup: Setup,
    pub fixture: Fixture,
    pub simulator: Simulator,
    pub database: Option<TestDatabase>,
    /// What every process and command of this deployment is told.
    pub env: Vec<(String, String)>,
    pub(crate) roles: RefCell<Roles>,
    pub(crate) simulate: RefCell<Process>,
    servers: Option<Servers>,
    prefix: String,
    folder: tempfile::TempDir,
}

impl World {
    /// Seeded, and every process ready.
    pub async fn start(setup: Setup) -> Self {
        let world = Self::seeded(setup).await;
        world.start_all().await;
        world
    }

    /// Seeded; no process of the product runs yet.
    pub async fn seeded(setup: Setup) -> Self {
        let world = Self::prepare(setup).await;
        world.command(&["seed", "fixture.json"]).await.succeeded();
        world.wait_for_simulator().await;
        world
    }

    /// A migrated, empty database and a simulator; no process of the product runs yet.
    pub async fn prepare(setup: Setup) -> Self {
        let fixture = setup.fixture();
        let file = fixture.json();
        Self::prepare_with(setup, fixture, &file).await
    }

    /// Like [`World::prepare`], with other guilds; `file` is what `seed` and `simulate` read of them.
    pub async fn prepare_with(setup: Setup, fixture: Fixture, file: &Value) -> Self {
        let folder = tempfile::Builder::new().prefix("guildhall-test-").tempdir().unwrap();
        std::fs::write(folder.path().join("fixture.json"), file.to_string()).unwrap();
        let prefix = format!("t{}", &uuid::Uuid::now_v7().simple().to_string()[20..]);
        let simulated = free_address();
        let mut env = environment(&prefix, &simulated);
        let (mut servers, mut database) = (None, None);
        if setup.mode == Mode::Distributed {
            let named = setup.servers.clone().unwrap_or_else(Servers::from_env);
            let created = TestDatabase::create(&named.database, folder.path()).await;
            env.push(("GUILDHALL_DATABASE_URL".to_owned(), created.url.clone()));
            env.push(("GUILDHALL_AMQP_URL".to_owned(), named.amqp.clone()));
            env.push(("GUILDHALL_REDIS_URL".to_owned(), named.redis.clone()));
            (servers, database) = (Some(named), Some(created));
        } else {
            run_command(&["migrate"], &env, folder.path()).await.succeeded();
        }
        env.retain(|(name, _)| !setup.env.iter().any(|(changed, _)| changed == name));
        env.extend(setup.env.iter().filter(|(_, value)| !value.is_empty()).cloned());
        let simulate = simulate(&simulated, &setup, folder.path());
        let simulator = Simulator::new(&format!("http://{simulated}"));
        Self {
            setup,
            fixture,
            simulator,
            database,
            env,
            servers,
            prefix,
            folder,
            roles: RefCell::default(),
            simulate: RefCell::new(simulate),
        }
    }

    pub fn mode(&self) -> Mode {
        self.setup.mode
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What the names of its queues and of its keys in Redis begin with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub fn guild(&self) -> &Guild {
        &self.fixture.guilds[0]
    }

    pub fn other_guild(&self) -> &Guild {
        &self.fixture.guilds[1]
    }

    /// The first API process, with the first guild's key of all scopes.
    pub fn api(&self) -> Api {
        self.api_number(0)
    }

    pub fn api_number(&self, index: usize) -> Api {
        Api::new(&self.roles.borrow().api_base(index)).key(&self.guild().admin_key)
    }

    /// A command beside the running processes, told the same as they.
    pub async fn command(&self, args: &[&str]) -> Finished {
        run_command(args, &self.env, self.folder()).await
    }

    /// Like [`command`](Self::command), with this as its standard output.
    pub async fn command_into(&self, args: &[&str], stdout: Stdio) -> Finished {
        run_into(args, &self.env, self.folder(), stdout).await
    }

    /// A new key of the first guild; without scopes it has the default ones.
    pub async fn new_key(&self, scopes: &str) -> String {
        self.create_key(if scopes.is_empty() { None } else { Some(["--scopes", scopes]) }).await
    }

    pub async fn key_that_ends_in(&self, span: &str) -> String {
        self.create_key(Some(["--expires-in", span])).await
    }

    async fn create_key(&self, option: Option<[&str; 2]>) -> String {
        let guild = self.guild();
        let mut args = vec!["keys", "create", "--guild", guild.id.as_str(), "--name", "test"];
        args.extend(["--owner", guild.members[0].chat.as_str()]);
        args.extend(option.into_iter().flatten());
        // Standard output is the key alone.
        self.command(&args).await.succeeded().trim().to_owned()
    }

    /// Redis loses what it counted.
    pub async fn forget_shared_windows(&self) {
        self.servers.as_ref().unwrap().forget_keys(&self.prefix).await.unwrap();
    }

    pub fn print_logs(&self) {
        self.roles.borrow_mut().show_logs();
        self.simulate.borrow_mut().show_log();
    }

    pub async fn close(self) {
        drop(self.roles);
        drop(self.simulate);
        if let Some(database) = self.database {
            database.remove().await;
        }
        if let Some(servers) = self.servers {
            servers.forget(&self.prefix).await;
        }
    }
}

fn environment(prefix: &str, simulated: &str) -> Vec<(String, String)> {
    let platform = format!("http://{simulated}");
    [
        ("GUILDHALL_DATA_DIR", "data"),
        ("GUILDHALL_PREFIX", prefix),
        ("GUILDHALL_CHAT_API_URL", &platform),
        ("GUILDHALL_CHAT_TOKEN", "test-token"),
        ("GUILDHALL_PLAY_API_URL", &platform),
        ("GUILDHALL_PLAY_KEY", "test-key"),
        // The limits of the real hosts have tests of their own, beside the clients.
        ("GUILDHALL_CHAT_RATE", "off"),
        ("GUILDHALL_PLAY_RATE", "off"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

fn simulate(address: &str, setup: &Setup, folder: &Path) -> Process {
    let (latency, jitter) = (setup.latency_ms.to_string(), setup.jitter_ms.to_string());
    let args = ["simulate", "--listen", address, "--state", "fixture.json", "--rate-limit", setup.limits];
    let late = ["--latency-ms", &latency, "--jitter-ms", &jitter];
    let args: Vec<&str> = args.into_iter().chain(late).collect();
    Process::spawn("simulate", &args, &[], folder)
}

/// How long a process may take to be ready on a busy machine.
pub(crate) const READY_WITHIN: Duration = Duration::from_secs(30);
