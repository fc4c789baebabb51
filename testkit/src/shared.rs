//! One deployment for each mode that many tests use concurrently, each with two guilds of its own; and one browser.
//!
//! A keeper process starts each for the first test and ends it when no test has used it for [`IDLE_LIMIT`], even if
//! tests were killed: a test uses it as long as its connection to the keeper's socket is open. Without its socket it ends
//! sooner, which is how `./test` ends it.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::{CommandExt, parent_id};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use crate::process::binary;
use crate::setup::Mode;
use crate::wait::eventually_ok;

/// An unused deployment ends after this time. To start one takes as much of a processor as to keep it for two minutes.
const IDLE_LIMIT: Duration = Duration::from_secs(60);
/// Interval at which the keeper of an unused one looks whether its socket is there.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// Tests per deployment and browser; the next test starts another.
pub(crate) const TESTS_PER_DEPLOYMENT: usize = 150;
const STARTS_WITHIN: Duration = Duration::from_secs(90);
/// Names the deployment of a keeper process.
const KEEPER_VARIABLE: &str = "GUILDHALL_TEST_KEEP";
/// The socket of a keeper process.
const SOCKET_VARIABLE: &str = "GUILDHALL_TEST_KEEP_AT";

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kept {
    Deployment(Mode),
    Browser,
}

impl Kept {
    const ALL: [Self; 3] =
        [Self::Deployment(Mode::Embedded), Self::Deployment(Mode::Distributed), Self::Browser];

    fn name(self) -> String {
        match self {
            Self::Deployment(mode) => format!("{mode:?}"),
            Self::Browser => "Browser".to_owned(),
        }
    }
}

/// Data of the shared deployment for a test.
#[derive(Serialize, Deserialize)]
pub(crate) struct Tenancy {
    /// Counts the tests; each has the two guilds of its number.
    pub(crate) number: usize,
    pub(crate) bases: Vec<String>,
    pub(crate) metrics: Vec<String>,
    pub(crate) simulator: String,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) folder: PathBuf,
}

/// A tenancy, held until dropped.
pub(crate) struct Shared<T> {
    pub(crate) tenancy: T,
    _connection: UnixStream,
}

/// Joins its users; starts it first if there are none.
pub(crate) async fn acquire<T: DeserializeOwned>(kept: Kept) -> Shared<T> {
    let place = place(kept);
    // Each runner has its own: a test that runs again finds nothing of the run before.
    let socket = place.with_added_extension(format!("{}.socket", parent_id()));
    if let Some(shared) = join(&socket).await {
        return shared;
    }
    let lock = File::create(place.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if let Some(shared) = join(&socket).await {
        return shared;
    }
    let log = place.with_extension("log");
    start_keeper(kept, &socket, &log);
    eventually_ok("there is a deployment or browser to share", STARTS_WITHIN, async || {
        let joined = join(&socket).await;
        let said = std::fs::read_to_string(&log).unwrap();
        assert!(joined.is_some() || !said.contains("panicked"), "nothing to share: {said}");
        joined.ok_or(said)
    })
    .await
}

/// The same for all tests of one build of the product on the same servers.
fn place(kept: Kept) -> PathBuf {
    let file = binary();
    let built = std::fs::metadata(&file).unwrap();
    let mut hasher = DefaultHasher::new();
    (file, built.modified().unwrap(), built.len()).hash(&mut hasher);
    std::env::current_exe().unwrap().hash(&mut hasher);
    std::env::var("GUILDHALL_TEST_DATABASE_URL").ok().hash(&mut hasher);
    std::env::temp_dir().join(format!("guildhall-shared-{}-{:016x}", kept.name(), hasher.finish()))
}

async fn join<T: DeserializeOwned>(socket: &Path) -> Option<Shared<T>> {
    let mut connection = UnixStream::connect(socket).await.ok()?;
    let mut line = String::new();
    // A keeper that is about to end sends nothing.
    BufReader::new(&mut connection).read_line(&mut line).await.ok()?;
    let tenancy = serde_json::from_str(&line).ok()?;
    Some(Shared { tenancy, _connection: connection })
}

/// This same program in its own process group: it survives the test, and a Ctrl-C.
#[expect(clippy::zombie_processes, reason = "it ends after this process, or is reaped with it")]
fn start_keeper(kept: Kept, socket: &Path, log: &Path) {
    let log = File::create(log).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "keeper", "--ignored", "--nocapture"]).env(KEEPER_VARIABLE, kept.name());
    command.env(SOCKET_VARIABLE, socket);
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
    command.process_group(0).spawn().unwrap();
}

pub(crate) fn to_keep() -> Option<Kept> {
    let named = std::env::var(KEEPER_VARIABLE).ok()?;
    Kept::ALL.into_iter().find(|kept| kept.name() == named)
}

/// Serves tenancies until no test uses it, or all are used up; then nothing of the socket is left.
pub(crate) async fn serve<T: Serialize>(tenancy: impl Fn(usize) -> T) {
    let socket = PathBuf::from(std::env::var_os(SOCKET_VARIABLE).unwrap());
    let _ = std::fs::remove_file(&socket);
    let listener = UnixListener::bind(&socket).unwrap();
    let mut tests = JoinSet::new();
    for number in 0..TESTS_PER_DEPLOYMENT {
        let Some(mut connection) = next_test(&listener, &socket, &mut tests).await else { break };
        let line = format!("{}\n", serde_json::to_string(&tenancy(number)).unwrap());
        tests.spawn(async move {
            // Until the test closes the connection, or dies.
            let _ = connection.write_all(line.as_bytes()).await;
            let _ = connection.read_u8().await;
        });
    }
    // It may be gone already.
    let _ = std::fs::remove_file(&socket);
    drop(listener);
    while tests.join_next().await.is_some() {}
}

/// `None`: no test is running, and no new one came or can come.
async fn next_test(listener: &UnixListener, socket: &Path, tests: &mut JoinSet<()>) -> Option<UnixStream> {
    let mut unused_since = Instant::now();
    loop {
        tokio::select! {
            accepted = listener.accept() => return Some(accepted.unwrap().0),
            Some(_) = tests.join_next() => unused_since = Instant::now(),
            () = tokio::time::sleep(LOOK_INTERVAL), if tests.is_empty() => {
                if unused_since.elapsed() >= IDLE_LIMIT || !socket.exists() {
                    return None;
                }
            }
        }
    }
}
