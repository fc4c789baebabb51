//! State shared by all requests of this process.

pub(crate) mod options;
pub(crate) mod orders;
use std::sync::Arc;

use platforms::Platforms;
use queue::Queue;
use runtime::{Context, Database};
use sea_orm::{ConnectionTrait, DbBackend, DbErr};
use tokio::sync::Semaphore;

use crate::cache::caches::Caches;
use crate::cache::failed_keys::FailedKeys;
use crate::cache::heartbeats::Heartbeats;
use crate::cache::room::Rooms;
use crate::limits::capacity::Capacity;
use crate::limits::pace::Pace;
use crate::limits::turns::Turns;
use crate::live::dashboard::bearers::Bearers;
use crate::live::dashboard::feeds::Feeds;
use crate::live::dashboard::people::People;
use crate::live::held::HeldTicks;
use crate::live::sockets::{self, Live};
use crate::live::threads::Threads;
use crate::request::bodies::Bodies;
use crate::response::error::ApiError;
use crate::response::large::{LargeAnswers, Memory};
use crate::state::options::Options;
use crate::state::orders::Orders;

/// SQLite has one writer. On Postgres a quarter of the connections is enough: the others serve reads meanwhile.
fn batches_at_once(database: &Database) -> usize {
    match database.read().get_database_backend() {
        DbBackend::Sqlite => 1,
        _ => 4,
    }
}

pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) capacity: Capacity,
    /// A permit for each connection.
    pub(crate) connections: Arc<Semaphore>,
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    pub(crate) platforms: Platforms,
    pub(crate) caches: Arc<Caches>,
    pub(crate) failed_keys: FailedKeys,
    pub(crate) heartbeats: Heartbeats,
    pub(crate) live: Live,
    pub(crate) held: Arc<HeldTicks>,
    pub(crate) feeds: Feeds,
    pub(crate) people: Arc<People>,
    pub(crate) bearers: Bearers,
    pub(crate) socket_pace: Pace,
    /// A permit for each live socket that reads its commands again.
    pub(crate) pending_reads: Semaphore,
    pub(crate) socket_threads: Threads,
    pub(crate) large_answers: LargeAnswers,
    pub(crate) rooms: Rooms,
    pub(crate) turns: Turns,
    /// Turns of the console's pages, which may wait for a platform: no call of a key waits for them.
    pub(crate) page_turns: Turns,
    pub(crate) bodies: Bodies,
    pub(crate) orders: Arc<Orders>,
}

impl State {
    pub(crate) fn new(context: Context, queue: Queue, platforms: Platforms, options: Options) -> Arc<Self> {
        // Requests fail at once while the database is away; workers in the same process wait for it.
        let (context, queue) = (Context { database: context.database.guarded(), ..context }, queue.guarded());
        let capacity = Capacity::of_files(runtime::raise_file_limit());
        let caches = Caches::new(&context.database, context.events.freshness(), &context.shutdown);
        let caches = Arc::new(caches);
        let (fed, held) = (caches.clone(), Arc::<HeldTicks>::default());
        let woken = held.clone();
        context.events.on_event(move |event| {
            fed.hear(event);
            woken.hear(event);
        });
        Arc::new(Self {
            caches,
            failed_keys: FailedKeys::new(context.limits.clone()),
            heartbeats: Heartbeats::default(),
            live: Live::new(capacity),
            held,
            feeds: Feeds::default(),
            people: Arc::default(),
            bearers: Bearers::default(),
            pending_reads: Semaphore::new(sockets::READS),
            socket_pace: Pace::new(sockets::BURST).waits_at_most(sockets::LONGEST),
            socket_threads: Threads::start(),
            connections: Arc::new(Semaphore::new(capacity.connections)),
            capacity,
            large_answers: LargeAnswers::default(),
            rooms: Rooms::default(),
            turns: Turns::default(),
            page_turns: Turns::default(),
            bodies: Bodies::default(),
            orders: Arc::new(Orders::new(batches_at_once(&context.database))),
            options,
            context,
            queue,
            platforms,
        })
    }

    /// Counts a large body of this many bytes; kept lists make room for it.
    pub(crate) async fn cover(&self, memory: &mut Memory, bytes: usize) -> Result<(), ApiError> {
        if memory.try_cover(bytes) {
            return Ok(());
        }
        self.caches.drop_large_lists();
        memory.cover(bytes).await
    }

    /// Writes the pending session heartbeats, so that later reads are exact to the second. Sessions that had ended leave
    /// the cache.
    pub(crate) async fn write_session_heartbeats(&self) -> Result<(), DbErr> {
        for session in self.heartbeats.write_sessions(&self.context).await? {
            self.caches.sessions.entries.forget(&session);
        }
        Ok(())
    }
}
