//! Webhooks (docs/rules.md 14): where a guild's audit log is sent as it grows. What was passed on is a place in the chain of
//! the log, so no change can be forgotten, and none costs more because somebody listens.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, Condition, IntoActiveModel, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::audit_chain::log;
use crate::audit_entry::{self, Source};
use crate::by_id::{by_id, no_relations};
use crate::{AuditId, Conn, GuildId, Result, Timestamp, WebhookId, audit_action};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub webhook_id: WebhookId,
    pub guild_id: GuildId,
    pub url: String,
    /// See [`Model::takes`].
    pub events: String,
    pub state: State,
    pub secret: String,
    /// The one before, which signs too until its end.
    pub old_secret: Option<String>,
    pub old_secret_until: Option<Timestamp>,
    /// Of the last entry of the log that was passed on; 0: none.
    pub position: i64,
    /// Its id, or 0.
    pub entry_id: i64,
    /// In a row, of the receiver as a whole.
    pub failures: i32,
    pub paused_until: Option<Timestamp>,
    pub created_at: Timestamp,
}

no_relations!();

by_id!(WebhookId: find, find_for_update, save, delete);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = WebhookState)]
pub enum State {
    On,
    /// A person switched it off.
    Off,
    /// The receiver answered 410, which switched it off.
    Gone,
}

/// All events.
pub const ALL_EVENTS: &str = "*";
/// Entries that clients append.
pub const CUSTOM_EVENTS: &str = "custom";

/// The words that choose events: `*`, `custom`, an area of actions, or an action.
pub fn event_words() -> Vec<&'static str> {
    let mut areas: Vec<_> = audit_action::ALL.iter().filter_map(|action| action.split('.').next()).collect();
    areas.dedup();
    let actions = audit_action::ALL.iter().copied().filter(|action| *action != audit_entry::MEMBER_SYNCED);
    [ALL_EVENTS, CUSTOM_EVENTS].into_iter().chain(areas).chain(actions).collect()
}

/// A new secret, in the form of Standard Webhooks.
pub fn new_secret() -> String {
    let key: [u8; 32] = rand::random();
    format!("whsec_{}", STANDARD.encode(key))
}

impl Model {
    pub fn event_words(&self) -> impl Iterator<Item = &str> {
        self.events.split(' ')
    }

    /// Whether it was made for this event.
    pub fn takes(&self, source: Source, action: &str) -> bool {
        self.event_words().any(|word| match (word, source) {
            (ALL_EVENTS, _) => true,
            (word, Source::Custom) => word == CUSTOM_EVENTS,
            (word, Source::Service) => {
                action.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
        })
    }

    /// The secrets that sign at this time, the newest first.
    pub fn secrets(&self, now: Timestamp) -> impl Iterator<Item = &str> {
        let old = self.old_secret.as_deref().filter(|_| self.old_secret_until.is_some_and(|end| now < end));
        [self.secret.as_str()].into_iter().chain(old)
    }

    /// The URL for readers of the audit log: its path may be a secret. Another URL has another mark.
    pub fn masked_url(&self) -> String {
        let host = self.url.split(['/', '?', '#']).take(3).collect::<Vec<_>>().join("/");
        let mark = hex::encode(Sha256::digest(&self.url));
        format!("{host}/… ({})", &mark[..8])
    }

    /// Until when the receiver is left alone.
    pub fn pause(&self, now: Timestamp) -> Option<Timestamp> {
        self.paused_until.filter(|until| now < *until)
    }

    /// On from here: what happened before is not sent.
    pub async fn start_here(self, conn: &impl Conn) -> Result<Self> {
        let (position, entry_id) = log::end(conn, self.guild_id).await?;
        Ok(Self { state: State::On, position, entry_id, failures: 0, paused_until: None, ..self })
    }
}

/// A webhook as its guild describes it, with its secret.
#[derive(DeriveIntoActiveModel)]
pub struct NewWebhook {
    pub url: String,
    pub events: String,
    pub secret: String,
}

/// What happened before is not sent.
pub async fn add(conn: &impl Conn, guild: GuildId, new: NewWebhook, now: Timestamp) -> Result<Model> {
    let (position, entry_id) = log::end(conn, guild).await?;
    let row = ActiveModel {
        guild_id: Set(guild),
        state: Set(State::On),
        position: Set(position),
        entry_id: Set(entry_id),
        created_at: Set(now),
        ..new.into_active_model()
    };
    row.insert(conn).await
}

/// The guild's webhooks, oldest first: there are few ([`crate::cap::Cap::Webhooks`]).
pub async fn list(conn: &impl Conn, guild: GuildId) -> Result<Vec<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::WebhookId).all(conn).await
}

/// Those whose guild's log has grown.
pub async fn behind(conn: &impl Conn) -> Result<Vec<(GuildId, WebhookId)>> {
    let rows = Entity::find().select_only().columns([Column::GuildId, Column::WebhookId]);
    rows.filter(Column::State.eq(State::On)).filter(log::has_grown("webhook")).into_tuple().all(conn).await
}

/// Everything up to this entry was passed on.
pub async fn passed_on(conn: &impl Conn, webhook: WebhookId, entry: (i64, AuditId)) -> Result<()> {
    let moved = Entity::update_many()
        .col_expr(Column::Position, Expr::value(entry.0))
        .col_expr(Column::EntryId, Expr::value(entry.1))
        .filter(Column::WebhookId.eq(webhook));
    moved.exec(conn).await.map(drop)
}

/// Notes whether the receiver works: `None` ends its pause. Of several deliveries that failed together, one counts.
pub async fn note(conn: &impl Conn, before: &Model, pause: Option<Timestamp>) -> Result<()> {
    let failures = pause.map_or(0, |_| before.failures.saturating_add(1));
    let noted = Entity::update_many()
        .col_expr(Column::Failures, Expr::value(failures))
        .col_expr(Column::PausedUntil, Expr::value(pause))
        .filter(Column::WebhookId.eq(before.webhook_id))
        .filter(Column::Failures.eq(before.failures));
    noted.exec(conn).await.map(drop)
}

/// Takes the turn to find out whether a receiver that failed works again, until this time. False: another delivery has it, or has
/// found out something.
pub async fn probe(conn: &impl Conn, before: &Model, now: Timestamp, until: Timestamp) -> Result<bool> {
    let is_free = Condition::any().add(Column::PausedUntil.is_null()).add(Column::PausedUntil.lte(now));
    let taken = Entity::update_many()
        .col_expr(Column::PausedUntil, Expr::value(until))
        .filter(Column::WebhookId.eq(before.webhook_id))
        .filter(Column::Failures.eq(before.failures))
        .filter(is_free);
    Ok(taken.exec(conn).await?.rows_affected > 0)
}

/// Switches it off after an answer of 410; false: it was off already, or is gone.
pub async fn end(conn: &impl Conn, webhook: WebhookId) -> Result<bool> {
    let ended = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Gone))
        .filter(Column::WebhookId.eq(webhook))
        .filter(Column::State.eq(State::On));
    Ok(ended.exec(conn).await?.rows_affected > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taking(events: &str) -> Model {
        Model {
            webhook_id: WebhookId::try_from(1).unwrap(),
            guild_id: GuildId::try_from(7).unwrap(),
            url: "https://example.org".to_owned(),
            events: events.to_owned(),
            state: State::On,
            secret: "new".to_owned(),
            old_secret: Some("old".to_owned()),
            old_secret_until: Some(Timestamp::UNIX_EPOCH),
            position: 0,
            entry_id: 0,
            failures: 0,
            paused_until: None,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn events_are_chosen_by_area_or_action() {
        use Source::{Custom, Service};
        let two = taking("moderation links.add");
        assert!(two.takes(Service, "moderation.ban") && two.takes(Service, "links.add"));
        assert!(!two.takes(Service, "links.remove") && !two.takes(Service, "moderations.ban"));
        assert!(!two.takes(Custom, "moderation.ban"), "a client wrote it");
        assert!(
            taking("custom").takes(Custom, "event.won") && !taking("custom").takes(Service, "notes.create")
        );
        assert!(taking("*").takes(Custom, "event.won") && taking("*").takes(Service, "keys.create"));
    }

    #[test]
    fn an_old_secret_signs_until_its_end() {
        let before = Timestamp::UNIX_EPOCH - chrono::TimeDelta::seconds(1);
        assert_eq!(taking("*").secrets(before).collect::<Vec<_>>(), ["new", "old"]);
        assert_eq!(taking("*").secrets(Timestamp::UNIX_EPOCH).collect::<Vec<_>>(), ["new"]);
        assert!(new_secret().starts_with("whsec_") && new_secret() != new_secret());
    }

    #[test]
    fn the_log_shows_the_host_of_a_url_and_that_it_changed() {
        let masked = |url: &str| Model { url: url.to_owned(), ..taking("*") }.masked_url();
        assert_eq!(masked("https://example.org/secret?key=1"), masked("https://example.org/secret?key=1"));
        let (one, other) = (masked("https://example.org:8443/a"), masked("https://example.org:8443/b"));
        assert!(one.starts_with("https://example.org:8443/… (") && one != other, "{one} {other}");
        assert!(masked("https://example.org?key=1").starts_with("https://example.org/… ("));
    }

    #[test]
    fn each_word_is_there_once() {
        let mut words = event_words();
        words.sort_unstable();
        let all = words.len();
        words.dedup();
        assert_eq!(words.len(), all);
        assert!(!words.contains(&audit_entry::MEMBER_SYNCED));
    }
}
