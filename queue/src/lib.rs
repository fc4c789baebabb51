//! What a job is: enqueued in a transaction, published through a broker, claimed with a fencing token, run, retried,
//! cancelled, answered.
//!
//! The row in the database is the truth about a job. A message in the broker only says "look at this row", so a lost
//! message costs two seconds and a doubled one costs nothing. The in-process channels of the embedded mode are the same
//! broker without a server; everything below holds for both.
//!
//! # States
//! | state | what it means | what comes next |
//! | --- | --- | --- |
//! | `queued` | available from `run_at` on (before, people see `scheduled` or `retrying`) | `running` |
//! | `held` | its guild has its share of the class in flight (people see `queued`) | `queued` |
//! | `running` | claimed by a worker process | an end, `waiting`, or `queued` again |
//! | `waiting` | a parent whose chunks are open | an end, with its last chunk |
//! | `succeeded` | over, with its result | |
//! | `failed` | over: another attempt would fail alike | `queued`, when retried by hand |
//! | `dead` | over: its attempts are used up | `queued`, when retried by hand |
//! | `cancelled` | over: a caller asked for it | |
//!
//! # Guarantees
//! - **Nothing is lost.** A job whose transaction committed is run, whatever dies. Without its message the safety net
//!   of a worker finds it ([`run`]); the jobs of a dead worker process are rescued by its heartbeat ([`DEAD_AFTER`]).
//! - **One run writes.** Every claim raises the fencing token, and every later write of that run names it in its
//!   condition. Of two processes that believe they run a job only the newer changes its row, its parent, its chunks and
//!   its audit entries. A process that stood still goes on with no run before its heartbeat is confirmed.
//! - **One end.** The end of a job, its audit entries, its parent's progress and the next jobs of its guild commit in
//!   one transaction.
//! - **No attempt is burned** by a worker that is stopped (SIGTERM), by a time slice that is over, by a busy platform, or
//!   by the first crashes of worker processes; `entities::job::rescue` says why a job that kills its workers takes no
//!   other with it.
//! - **Turns.** A worker has slots for each class, so interactive jobs never wait for bulk. Of one guild only its share of
//!   a class is in flight, so guilds take turns; a bulk run yields after 30 s.
//!
//! # What is at least once, and why that is safe
//! A run, and so each of its effects outside the database, can happen twice: a worker may die between the platform's
//! answer and the commit. Each kind is written for that:
//! - What sets a state (roles and nickname of a member, a ban) is idempotent. The next run reads before it writes, so it
//!   mostly finds nothing left to do.
//! - What creates something (a ticket's channel) writes a row before and completes it after, and a later run looks for
//!   what an earlier one left on the platform before it creates.
//! - What counts (imports, progress) commits in the transaction that ends the job or keeps its checkpoint.
//!
//! An answer to a waiting caller comes at most once; a caller that missed it reads the row.
//!
//! # What an operator sees
//! | failure | what is seen | what happens |
//! | --- | --- | --- |
//! | broker away, wiped, blocked, silent | `/health/ready` names `broker` | jobs go on, claimed from the database within a second |
//! | worker killed or frozen | warning "worker processes gave no heartbeat"; `guildhall_jobs_rescued_total` | its jobs run elsewhere within 20 s; a frozen one that wakes drops its runs and registers anew |
//! | worker stopped | the log says what is still running | runs end within 30 s or go back; no attempt is burned |
//! | scheduler gone | `guildhall_scheduler_leads` is 0 everywhere | rescue, turns that a race left and schedules wait for the next leader, at most 20 s; everything else goes on |
//! | job panics, runs into its limit, gets a broken answer | `jobs show`: one line for each attempt | retried after the backoff, then `dead` |
//! | job kills its workers | `worker_lost` in its history, class `quarantine` | twice at once, then alone and with backoff, then `dead` |
//! | job blocks its thread | error "a job blocks a thread", the process ends in order | counts as a crash |
//! | unknown kind | `guildhall_jobs_unknown_total` | stays `queued` until a build knows it |
//! | dead jobs | `jobs list --state dead`, with their last error | `jobs retry ID`, `jobs retry --all --kind KIND` or `POST /jobs/ID/retry` runs them again |

mod backoff;
mod broker;
mod bulk_sync;
mod cancel;
mod enqueue;
mod eta;
pub mod kinds;
mod message;
mod mirror;
mod payload;
mod queue;
mod reply;
mod rescue;
mod retry;
pub mod run;

pub use broker::{Broker, PublishError};
pub use bulk_sync::{BulkSync, enqueue_bulk_sync};
pub use enqueue::{Draft, Enqueued, enqueue_many};
pub use eta::{begun, eta};
pub use mirror::enqueue_mirror;
pub use payload::Payload;
pub use queue::{Queue, QueueError};
pub use reply::Answer;
pub use rescue::DEAD_AFTER;
pub use retry::{Retry, retry};
