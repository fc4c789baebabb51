//! Responses stored under `Idempotency-Key` (docs/rules.md 8): the first response is replayed for 24 hours.
//!
//! A row is reserved before the work and completed in the transaction of the change. If the process dies in between,
//! the reservation expires at `locked_until`. A slow process detects that it lost its [`Hold`] and must not commit:
//! another request may have done the work.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, Condition};

use crate::by_id::no_relations;
use crate::{Conn, JobId, KeyId, Result, Timestamp, sweep};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub key_id: KeyId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub idempotency_key: String,
    /// SHA-256 of method, path and body.
    pub request_hash: Vec<u8>,
    /// The job that the first request enqueued; a repeat waits for that job.
    pub job_id: Option<JobId>,
    pub status: Option<i32>,
    pub body: Option<String>,
    pub location: Option<String>,
    pub locked_until: Timestamp,
    pub expires_at: Timestamp,
}

no_relations!();

/// The result of a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reservation {
    /// There was no row: the request proceeds under its reservation.
    Fresh,
    /// The first request's row: a response, a running job, or (both empty) a request that is still running.
    Taken(Model),
    /// Other requests keep taking and releasing the key.
    Contended,
}

/// The identity of a request: its API key, its idempotency key, and the hash of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub key: KeyId,
    pub idempotency_key: String,
    pub hash: Vec<u8>,
}

/// A request's hold on its row. Its writes count only until another request takes the key over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    pub request: Request,
    /// The value reserved or read. Taking over the key sets another one.
    pub locked_until: Timestamp,
}

impl Hold {
    fn condition(&self) -> Condition {
        Condition::all()
            .add(Column::KeyId.eq(self.request.key))
            .add(Column::IdempotencyKey.eq(self.request.idempotency_key.as_str()))
            .add(Column::LockedUntil.eq(self.locked_until))
    }
}

/// Reserves the key; takes over an expired reservation or an expired response.
pub async fn reserve(
    conn: &impl Conn,
    request: &Request,
    now: Timestamp,
    locked_until: Timestamp,
    expires_at: Timestamp,
) -> Result<Reservation> {
    for _ in 0..MAX_TRIES {
        if let Some(reservation) = try_reserve(conn, request, now, locked_until, expires_at).await? {
            return Ok(reservation);
        }
    }
    Ok(Reservation::Contended)
}

/// Each failed try means that another request held the key and released it meanwhile.
const MAX_TRIES: usize = 3;

/// `None`: another row conflicted, and no longer exists.
async fn try_reserve(
    conn: &impl Conn,
    request: &Request,
    now: Timestamp,
    locked_until: Timestamp,
    expires_at: Timestamp,
) -> Result<Option<Reservation>> {
    forget_expired(conn, request, now).await?;
    let row = ActiveModel {
        key_id: Set(request.key),
        idempotency_key: Set(request.idempotency_key.clone()),
        request_hash: Set(request.hash.clone()),
        locked_until: Set(locked_until),
        expires_at: Set(expires_at),
        ..Default::default()
    };
    let conflict = OnConflict::columns([Column::KeyId, Column::IdempotencyKey]).do_nothing().to_owned();
    if Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await? > 0 {
        return Ok(Some(Reservation::Fresh));
    }
    let found = Entity::find_by_id((request.key, request.idempotency_key.clone())).one(conn).await?;
    Ok(found.map(Reservation::Taken))
}

async fn forget_expired(conn: &impl Conn, request: &Request, now: Timestamp) -> Result<()> {
    let abandoned = Column::Status.is_null().and(Column::JobId.is_null()).and(Column::LockedUntil.lte(now));
    Entity::delete_many()
        .filter(Column::KeyId.eq(request.key))
        .filter(Column::IdempotencyKey.eq(request.idempotency_key.as_str()))
        .filter(abandoned.or(Column::ExpiresAt.lte(now)))
        .exec(conn)
        .await?;
    Ok(())
}

/// Records, in the transaction that enqueues it, the job that produces this response. False: the hold is lost.
pub async fn attach_job(conn: &impl Conn, hold: &Hold, job: JobId) -> Result<bool> {
    let attached = Entity::update_many()
        .col_expr(Column::JobId, Expr::value(job))
        .filter(hold.condition())
        .exec(conn)
        .await?;
    Ok(attached.rows_affected == 1)
}

/// Stores the response. False: the hold is lost.
pub async fn complete(
    conn: &impl Conn,
    hold: &Hold,
    status: u16,
    body: &str,
    location: Option<&str>,
) -> Result<bool> {
    let completed = Entity::update_many()
        .col_expr(Column::Status, Expr::value(i32::from(status)))
        .col_expr(Column::Body, Expr::value(body))
        .col_expr(Column::Location, Expr::value(location.map(str::to_owned)))
        .filter(hold.condition())
        .exec(conn)
        .await?;
    Ok(completed.rows_affected == 1)
}

/// Releases the reservation of a request that was refused before it changed a row.
pub async fn release(conn: &impl Conn, hold: &Hold) -> Result<()> {
    Entity::delete_many()
        .filter(hold.condition())
        .filter(Column::Status.is_null())
        .filter(Column::JobId.is_null())
        .exec(conn)
        .await?;
    Ok(())
}

/// Deletes up to `limit` rows older than 24 hours.
pub async fn sweep(conn: &impl Conn, now: Timestamp, limit: u64) -> Result<u64> {
    sweep::delete::<Entity>(conn, Condition::all().add(Column::ExpiresAt.lte(now)), Column::ExpiresAt, limit)
        .await
}
