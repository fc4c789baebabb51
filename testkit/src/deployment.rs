//! The processes of the product in one mode, with a database, a fixture and a simulator: private to a test, or shared.

use std::cell::RefCell;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::client::{Api, http_client};
use crate::command::{Finished, run_command, run_into, run_with_input};
use crate::database::TestDatabase;
use crate::fixture::{Fixture, Guild};
use crate::process::{Process, Roles, free_address, print_logs};
use crate::servers::{Namespace, Servers};
use crate::setup::{Mode, Setup};
use crate::shared::{Kept, Shared, TESTS_PER_DEPLOYMENT, Tenancy, acquire};
use crate::simulator::Simulator;

pub struct Deployment {
    pub setup: Setup,
    pub fixture: Fixture,
    pub simulator: Simulator,
    pub env: Vec<(String, String)>,
    pub(crate) roles: RefCell<Roles>,
    pub(crate) simulate: RefCell<Option<Process>>,
    /// In the distributed mode, if the deployment is the test's own. Deleted once its processes are gone.
    pub database: Option<TestDatabase>,
    /// `Some` if the deployment is shared.
    pub(crate) shared: Option<Shared<Tenancy>>,
    namespace: Option<Namespace>,
    folder: tempfile::TempDir,
}

impl Deployment {
    /// Seeded, and every process ready.
    pub async fn start(setup: Setup) -> Self {
        let deployment = Self::seeded(setup).await;
        deployment.start_all().await;
        deployment
    }

    /// Seeded; no process of the product runs yet.
    pub async fn seeded(setup: Setup) -> Self {
        let fixture = setup.fixture();
        let file = fixture.json();
        Self::seeded_with(setup, fixture, &file).await
    }

    /// Like [`Deployment::seeded`], with other guilds; `file` is the input of `seed` and `simulate`.
    pub async fn seeded_with(setup: Setup, fixture: Fixture, file: &Value) -> Self {
        let deployment = Self::prepare(setup, fixture, file).await;
        deployment.command(&["seed", "fixture.json"]).await.succeeded();
        deployment.wait_for_simulator().await;
        deployment
    }

    /// A migrated, empty database and a simulator; no process of the product runs yet.
    pub async fn prepare(setup: Setup, fixture: Fixture, file: &Value) -> Self {
        let folder = tempfile::Builder::new().prefix("guildhall-test-").tempdir().unwrap();
        std::fs::write(folder.path().join("fixture.json"), file.to_string()).unwrap();
        let simulated = free_address();
        let mut env = environment(&simulated, folder.path());
        let (mut namespace, mut database) = (None, None);
        if setup.mode == Mode::Distributed {
            let created = Namespace::new(setup.servers.clone().unwrap_or_else(Servers::from_env));
            let cloned = TestDatabase::on_server(&created.servers.database).await;
            env.push(("GUILDHALL_PREFIX".to_owned(), created.prefix.clone()));
            env.push(("GUILDHALL_DATABASE_URL".to_owned(), cloned.url().to_owned()));
            env.push(("GUILDHALL_AMQP_URL".to_owned(), created.servers.amqp.clone()));
            env.push(("GUILDHALL_REDIS_URL".to_owned(), created.servers.redis.clone()));
            (namespace, database) = (Some(created), Some(cloned));
        } else {
            std::fs::create_dir(folder.path().join("data")).unwrap();
            TestDatabase::sqlite_file(&folder.path().join("data/guildhall.db")).await;
        }
        env.retain(|(name, _)| !setup.env.iter().any(|(changed, _)| changed == name));
        env.extend(setup.env.iter().filter(|(_, value)| !value.is_empty()).cloned());
        let simulate = simulate(&simulated, &setup, folder.path());
        Self {
            setup,
            fixture,
            simulator: Simulator::new(&format!("http://{simulated}"), false),
            database,
            env,
            namespace,
            folder,
            shared: None,
            roles: RefCell::default(),
            simulate: RefCell::new(Some(simulate)),
        }
    }

    pub(crate) async fn start_shared(mode: Mode) -> Self {
        let setup = Setup::new(mode).env("GUILDHALL_TRUSTED_PROXIES", "127.0.0.0/8");
        let fixture = Fixture::new(2 * TESTS_PER_DEPLOYMENT, setup.members);
        let file = fixture.json();
        let deployment = Self::seeded_with(setup, fixture, &file).await;
        deployment.start_all().await;
        deployment
    }

    /// Data of the deployment for the test of this number.
    pub(crate) fn tenancy(&self, number: usize) -> Tenancy {
        let apis = &self.roles().apis;
        Tenancy {
            number,
            bases: apis.iter().map(|api| api.base.clone()).collect(),
            metrics: apis.iter().map(|api| api.metrics.clone()).collect(),
            simulator: self.simulator.base.clone(),
            env: self.env.clone(),
            folder: self.folder().to_owned(),
        }
    }

    /// The shared deployment of the mode, with two guilds of the caller's own.
    pub(crate) async fn shared(mode: Mode) -> Self {
        let shared = acquire::<Tenancy>(Kept::Deployment(mode)).await;
        let (setup, tenancy) = (Setup::new(mode), &shared.tenancy);
        Self {
            fixture: Fixture::pair(tenancy.number, setup.members),
            setup,
            simulator: Simulator::new(&tenancy.simulator, true),
            database: None,
            env: tenancy.env.clone(),
            namespace: None,
            folder: tempfile::Builder::new().prefix("guildhall-test-").tempdir().unwrap(),
            shared: Some(shared),
            roles: RefCell::default(),
            simulate: RefCell::default(),
        }
    }

    /// Panics if other tests would notice this one's effects.
    #[track_caller]
    pub(crate) fn assert_own(&self) {
        assert!(self.shared.is_none(), "needs a deployment of its own: both_modes!(name(own))");
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn mode(&self) -> Mode {
        self.setup.mode
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Of the names that it uses on its servers; embedded it uses none.
    pub fn prefix(&self) -> &str {
        self.variable("GUILDHALL_PREFIX").unwrap()
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
        let api = Api::new(&self.api_base(index)).key(&self.guild().admin_key);
        match &self.shared {
            // Its own address, because authentication failures are counted by address.
            Some(Shared { tenancy: Tenancy { number, .. }, .. }) => {
                api.header("x-forwarded-for", &format!("10.0.{}.{}", number / 250, number % 250))
            }
            None => api,
        }
    }

    /// The address of an API process, as `http://host:port`.
    pub fn api_base(&self, index: usize) -> String {
        match &self.shared {
            Some(shared) => shared.tenancy.bases[index].clone(),
            None => self.roles.borrow().apis[index].base.clone(),
        }
    }

    /// The metrics of an API process.
    pub async fn metrics(&self, index: usize) -> String {
        let base = match &self.shared {
            Some(shared) => shared.tenancy.metrics[index].clone(),
            None => self.roles.borrow().apis[index].metrics.clone(),
        };
        http_client().get(format!("{base}/metrics")).send().await.unwrap().text().await.unwrap()
    }

    /// A command beside the running processes, with their environment.
    pub async fn command(&self, args: &[&str]) -> Finished {
        run_command(args, &self.env, self.folder()).await
    }

    pub async fn command_into(&self, args: &[&str], stdout: Stdio) -> Finished {
        run_into(args, &self.env, self.folder(), stdout).await
    }

    /// A command with this text as standard input.
    pub async fn command_with_input(&self, args: &[&str], input: &str) -> Finished {
        let file = self.folder().join("input");
        std::fs::write(&file, input).unwrap();
        run_with_input(args, &self.env, self.folder(), std::fs::File::open(file).unwrap()).await
    }

    /// A new key of the first guild, with the default scopes if none are given.
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
        // Standard output contains only the key.
        self.command(&args).await.succeeded().trim().to_owned()
    }

    pub async fn forget_shared_windows(&self) {
        let namespace = self.namespace.as_ref().unwrap();
        namespace.servers.forget_keys(&namespace.prefix).await.unwrap();
    }

    /// The end of each process's log.
    pub fn print_logs(&self) {
        let folder = self.shared.as_ref().map_or(self.folder(), |shared| &shared.tenancy.folder);
        print_logs(folder);
    }
}

/// As `guildhall simulate --help` names it.
const SIMULATOR_PUBLIC_KEY: &str = "7c112e9d2ea806fd1ebbc86c89b548b6651e7825af36c7a1ab7a4a4101ead9e7";

fn environment(simulated: &str, folder: &Path) -> Vec<(String, String)> {
    let platform = format!("http://{simulated}");
    let data = folder.join("data").display().to_string();
    [
        ("GUILDHALL_DATA_DIR", data.as_str()),
        ("GUILDHALL_CHAT_API_URL", &platform),
        ("GUILDHALL_CHAT_TOKEN", "test-token"),
        ("GUILDHALL_CHAT_PUBLIC_KEY", SIMULATOR_PUBLIC_KEY),
        ("GUILDHALL_PLAY_API_URL", &platform),
        ("GUILDHALL_PLAY_KEY", "test-key"),
        // There is no load balancer to wait for.
        ("GUILDHALL_STOP_NOTICE", "0"),
        // The limits of the real hosts have separate tests, beside the clients.
        ("GUILDHALL_CHAT_RATE", "off"),
        ("GUILDHALL_PLAY_RATE", "off"),
        // Tests of it set a share; the members of the others stay as they are.
        ("GUILDHALL_FOLLOW_SHARE", "0"),
        ("GUILDHALL_CHAT_EVENTS", "off"),
        ("GUILDHALL_WEBHOOK_NETWORKS", "127.0.0.0/8"),
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
