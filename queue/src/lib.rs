//! What a job is: enqueued in a transaction, rung through a broker, claimed with a lease, retried, cancelled, answered.
//!
//! The row in the database is the truth about a job. A message in the broker only says "look at this row", so a lost
//! message costs time and a doubled one costs nothing. The in-process queue of the embedded mode is the same doorbell
//! without a broker; everything below holds for both.
//!
//! # States
//! | state | what it means | what comes next |
//! | --- | --- | --- |
//! | `scheduled` | waits for its time or, a chunk, for its turn | `queued` |
//! | `queued` | to be run as soon as a slot of its class is free | `running` |
//! | `running` | a worker holds its lease | an end, `retrying`, `waiting`, or `queued` again |
//! | `waiting` | a parent whose chunks are open | an end, with its last chunk |
//! | `retrying` | a try went wrong, or its worker died twice | `queued`, at `run_at` |
//! | `succeeded` | over, with its result | |
//! | `failed` | over: another try would fail alike | `queued`, when replayed |
//! | `dead` | over: its attempts are used up | `queued`, when replayed |
//! | `cancelled` | over: somebody asked for it | |
//!
//! # Guarantees
//! - **Nothing is lost.** A job whose transaction committed is run, whatever dies: the process that enqueued it (the
//!   relay publishes after a second what nobody confirmed), the broker with all its data (what was published is
//!   published again), the worker (redelivery at once, else the end of its lease), the leading scheduler (another leads
//!   within 20 s).
//! - **One run writes.** Every claim raises the lease number, and every later write of that run names it in its
//!   condition. Of two processes that believe they run a job only the newer changes its row, its parent, its chunks and
//!   its audit entries. A process that stood still does not go on with a run before the database has confirmed its claim.
//! - **One end.** The end of a job, its audit entries, its parent's progress and the next chunks commit in one
//!   transaction. The message is acknowledged after it.
//! - **No attempt is burned** by a worker that is stopped (SIGTERM), by a time slice that is over, or by the first two
//!   losses of a worker in a row; `src/loss.rs` says why a job that kills its workers takes no other with it.
//! - **Turns.** A worker has slots for each class, so interactive jobs never wait for bulk. Of a bulk job at most two
//!   chunks are queued or running, and a run yields after 30 s.
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
//! A message may come twice too: the second finds the row claimed and is dropped. An answer to a waiting caller comes at
//! most once; whoever missed it reads the row, and gets 202 with the job's id if it is not over.
//!
//! # What an operator sees
//! | failure | what is seen | what happens |
//! | --- | --- | --- |
//! | broker away | `/health/ready` names `broker`; `guildhall_outbox_age_seconds` rises; jobs stay `queued` | reads and writes answer as before, callers who wait get 202; the first job is done within 5 s of its return |
//! | broker wiped | warning "the broker has lost its queue" | its jobs are published again |
//! | broker blocked by an alarm | warning "takes no messages for now"; as if away | jobs wait in their rows until the alarm is lifted |
//! | broker silent (half-open) | "broker connection ended, connecting anew" within seconds | as if away |
//! | worker killed | warning "a worker is gone" with the job; `guildhall_jobs_taken_back_total` | redelivered at once, or taken back when the lease ([`LEASE`]) ends |
//! | worker frozen | the same; when it wakes: "another worker has taken this job over" | what it still held is dropped |
//! | worker stopped | the log says what is still running | runs end within 30 s or are given back; no attempt is burned |
//! | scheduler gone | `guildhall_scheduler_leads` is 0 everywhere | retries and lost messages wait for the next leader, at most 20 s |
//! | job panics, runs into its limit, gets a broken answer | `jobs show`: one line for each try | retried on the ladder, then `dead` |
//! | job kills its workers | `worker_lost` in its history | twice at once, then alone and on the ladder, then `dead` |
//! | job blocks its thread | error "a job blocks a thread", the process ends in order | counts as lost |
//! | unknown kind | warning "unknown kind of job", `guildhall_jobs_unknown_total` | stays `queued` until a build knows it |
//! | dead jobs | `jobs list --state dead`, with their last error | `jobs retry ID` or `POST /jobs/ID/retry` runs them again |

mod answer;
mod broker;
mod bulk_sync;
mod enqueue;
mod eta;
mod gauges;
pub mod kinds;
mod ladder;
mod loss;
mod message;
mod mirror;
mod payload;
mod queue;
pub mod relay;
mod replay;
pub mod run;
mod settle;
mod waiters;

pub use answer::Answer;
pub use broker::{Broker, PublishError};
pub use bulk_sync::{BulkSync, enqueue_bulk_sync};
pub use enqueue::{Draft, Enqueued, enqueue_many};
pub use eta::{begun, eta};
pub use mirror::enqueue_mirror;
pub use payload::Payload;
pub use queue::{Queue, QueueError};
pub use replay::{Replay, replay};
pub use run::LEASE;
