//! The task of each schedule.

use futures_util::future::BoxFuture;
use jobs::schedules::Task;
use runtime::Context;
use sea_orm::DbErr;

use crate::{expiry, prune, samples, stale};

/// Does one batch and returns the number of rows changed; called again until it returns 0.
pub(crate) fn run_batch(task: Task, context: &Context) -> BoxFuture<'_, Result<u64, DbErr>> {
    match task {
        Task::Sanctions => Box::pin(expiry::sanctions(context)),
        Task::Leave => Box::pin(expiry::loa(context)),
        Task::Strikes => Box::pin(expiry::strikes(context)),
        Task::Commands => Box::pin(expiry::commands(context)),
        Task::StaleSessions => Box::pin(stale::sessions(context)),
        Task::OfflineServers => Box::pin(stale::servers(context)),
        Task::OldCommands => Box::pin(prune::commands(context)),
        Task::OldServers => Box::pin(prune::servers(context)),
        Task::ChangeLog => Box::pin(prune::change_log(context)),
        Task::IdempotencyKeys => Box::pin(prune::idempotency_keys(context)),
        Task::FinishedTicks => Box::pin(prune::ticks(context)),
        Task::Retention => Box::pin(prune::retention(context)),
        Task::QueueSamples => Box::pin(samples::write(context)),
        Task::OldQueueSamples => Box::pin(samples::prune(context)),
        Task::Console => Box::pin(prune::console(context)),
    }
}
