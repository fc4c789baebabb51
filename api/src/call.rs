//! What a handler is given: the request, already let in, and the few things most handlers do with it.

use std::str::FromStr;
use std::sync::Arc;

use entities::audit_entry::{Actor, NewEntry};
use entities::{GuildId, JobId, Timestamp};
use platforms::CallContext;
use runtime::Pool;
use sea_orm::DatabaseTransaction;
use serde_json::Value;
use warp::ws::Ws;

use crate::app::App;
use crate::fields::Fields;
use crate::guard::Key;
use crate::http::error::ApiError;
use crate::http::etag::IfNoneMatch;
use crate::http::prefer::Prefer;
use crate::http::query::Query;
use crate::http::reply::Reply;
use crate::idempotency::Slot;
use crate::page::NextPage;
use crate::route::Params;

pub(crate) struct Call {
    pub(crate) app: Arc<App>,
    pub(crate) key: Arc<Key>,
    pub(crate) request_id: String,
    pub(crate) params: Params,
    pub(crate) query: Query,
    pub(crate) fields: Fields,
    pub(crate) prefer: Prefer,
    pub(crate) next_page: NextPage,
    pub(crate) if_none_match: IfNoneMatch,
    pub(crate) idempotency: Option<Slot>,
    /// Asked for, and well-formed.
    pub(crate) upgrade: Option<Ws>,
}

impl Call {
    /// The key's guild; the guard saw to it that path, body and header mean the same one.
    pub(crate) fn guild(&self) -> GuildId {
        self.key.guild()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.app.context.clock.now()
    }

    /// For queries outside of a transaction.
    pub(crate) fn read(&self) -> &Pool {
        self.app.context.database.read()
    }

    pub(crate) async fn begin(&self) -> Result<DatabaseTransaction, ApiError> {
        Ok(self.app.context.database.begin().await?)
    }

    /// Commits the change together with the answer to repeats of this request.
    pub(crate) async fn commit(
        &self,
        transaction: DatabaseTransaction,
        mut reply: Reply,
    ) -> Result<Reply, ApiError> {
        if let Some(slot) = &self.idempotency {
            slot.keep(&transaction, &reply).await?;
            reply.kept = true;
        }
        transaction.commit().await?;
        Ok(reply)
    }

    /// Who the audit log says did it: the key's owner.
    pub(crate) fn actor(&self) -> Actor {
        Actor {
            actor_id: self.key.owner().get(),
            key_id: Some(self.key.id()),
            request_id: Some(self.request_id.clone()),
        }
    }

    /// Writes an audit entry into the transaction of the change.
    pub(crate) async fn audit(
        &self,
        transaction: &DatabaseTransaction,
        action: &'static str,
        target: impl ToString,
        metadata: Value,
    ) -> Result<(), ApiError> {
        let entry = NewEntry { guild: self.guild(), action, target: target.to_string(), metadata };
        entities::audit_entry::write(transaction, &self.actor(), entry, self.now()).await?;
        Ok(())
    }

    /// The job that the first request under this idempotency key enqueued.
    pub(crate) fn first_job(&self) -> Option<JobId> {
        self.idempotency.as_ref().and_then(Slot::first_job)
    }

    /// For platform calls whose answer the caller waits for.
    pub(crate) fn platform(&self) -> CallContext {
        CallContext::interactive(self.guild())
    }

    /// A parameter of the path. `allowed` completes "must be …".
    pub(crate) fn path<T: FromStr>(&self, name: &str, allowed: &str) -> Result<T, ApiError> {
        let text = self.params.get(name).unwrap_or_default();
        text.parse().map_err(|_| ApiError::field(name, &text.into(), allowed))
    }
}
