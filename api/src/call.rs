//! The input of a handler: the admitted request, and what most handlers do with it.

pub(crate) mod caller;
#[cfg(test)]
pub(crate) mod fixture;
pub(crate) mod job;
pub(crate) mod operation;
pub(crate) mod route;
pub(crate) mod unit_of_work;
use std::sync::Arc;

use entities::audit_entry::Actor;
use entities::cap::Cap;
use entities::{ChatId, GuildId, JobId, Timestamp};
use http::HeaderMap;
use hyper::upgrade::OnUpgrade;
use platforms::CallContext;
use runtime::Pool;
use sea_orm::ConnectionTrait;

use crate::call::caller::Caller;
use crate::request::body::Body;
use crate::request::page::{self, Page};
use crate::request::parts::{Field, Request, Take};
use crate::request::prefer::Prefer;
use crate::request::url::{Params, Query};
use crate::response::error::ApiError;
use crate::response::idempotency_slot::IdempotencySlot;
use crate::state::State;

pub(crate) struct Call {
    pub(crate) state: Arc<State>,
    pub(crate) caller: Caller,
    pub(crate) request_id: Arc<str>,
    pub(crate) params: Params,
    pub(crate) query: Query,
    pub(crate) body: Body,
    pub(crate) headers: Arc<HeaderMap>,
    /// The client does not want the body.
    pub(crate) head: bool,
    pub(crate) idempotency: Option<IdempotencySlot>,
    /// If the client asks for another protocol.
    pub(crate) upgrade: Option<OnUpgrade>,
}

impl Call {
    /// The same call once more.
    pub(crate) fn again(&self) -> Self {
        Self {
            state: self.state.clone(),
            caller: self.caller.clone(),
            request_id: self.request_id.clone(),
            params: self.params.clone(),
            query: self.query.clone(),
            body: self.body.clone(),
            headers: self.headers.clone(),
            head: self.head,
            idempotency: self.idempotency.clone(),
            upgrade: None,
        }
    }

    /// The caller's guild; `auth` has verified that path, body and header name the same one.
    pub(crate) fn guild(&self) -> GuildId {
        self.caller.guild()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.state.context.clock.now()
    }

    /// For queries outside of a transaction.
    pub(crate) fn read(&self) -> &Pool {
        self.state.context.database.read()
    }

    /// 422 if the guild may not have so many further rows of this type (docs/rules.md 3).
    pub(crate) async fn room_for(
        &self,
        conn: &impl ConnectionTrait,
        cap: Cap,
        more: u64,
    ) -> Result<(), ApiError> {
        self.state.rooms.check(conn, self.guild(), cap, more).await
    }

    pub(crate) fn path<T: Field>(&self, name: &str) -> Result<T, ApiError> {
        T::take(&self.params, name)
    }

    pub(crate) fn query<T: Request>(&self) -> Result<T, ApiError> {
        T::read(&self.query)
    }

    pub(crate) fn body<T: Request>(&self) -> Result<T, ApiError> {
        T::read(&self.body)
    }

    /// The body of a PATCH: refused if it sets no field that it can change.
    pub(crate) fn patch<T: Request>(&self) -> Result<T, ApiError> {
        let patch: T = self.body()?;
        if patch.changes() {
            return Ok(patch);
        }
        let names: Vec<_> =
            T::parts().iter().filter(|part| !part.required).map(|part| format!("`{}`", part.name)).collect();
        let names = names.join(", ");
        Err(ApiError::body("missing_field", format!("nothing to change: give at least one of {names}")))
    }

    /// How long the caller of a job waits.
    pub(crate) fn prefer(&self) -> Prefer {
        Prefer::of(&self.headers)
    }

    pub(crate) fn page<C: Field>(&self) -> Result<Page<C>, ApiError> {
        Page::of(&self.query)
    }

    /// The same for a list that is complete unless a page is requested.
    pub(crate) fn page_or_whole<C: Field>(&self) -> Result<Page<C>, ApiError> {
        Page::or_whole(&self.query)
    }

    /// The requested page of a list that is complete otherwise.
    pub(crate) fn page_if_asked<C: Field>(&self) -> Result<Option<Page<C>>, ApiError> {
        page::is_asked(&self.query).then(|| self.page()).transpose()
    }

    /// The actor in the audit log: the key's owner, or the person at the console.
    pub(crate) fn actor(&self) -> Actor {
        Actor {
            actor_id: self.caller.user().get(),
            key_id: self.caller.key_id(),
            request_id: Some(self.request_id.to_string()),
        }
    }

    /// The staff member who acts: audit entries of moderators and game servers name them (docs/rules.md 6).
    pub(crate) fn acting(&self, staff: ChatId) -> Actor {
        Actor { actor_id: staff.get(), ..self.actor() }
    }

    /// The job that the first request under this idempotency key enqueued.
    pub(crate) fn first_job(&self) -> Option<JobId> {
        self.idempotency.as_ref().and_then(|slot| slot.first_job)
    }

    /// For platform calls while the client waits.
    pub(crate) fn platform(&self) -> CallContext {
        CallContext::interactive(self.guild())
    }
}
