//! Submissions to application panels (docs/rules.md 7).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveValue::Set, Condition, QuerySelect};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::by_id::{by_id, no_relations};
use crate::{ChatId, Conn, GuildId, Page, PanelId, Result, SubmissionId, Timestamp};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "application_submission")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub submission_id: SubmissionId,
    pub panel_id: PanelId,
    /// The applicant.
    pub chat_id: ChatId,
    pub answers: Json,
    pub created_at: Timestamp,
    pub state: State,
    pub decided_at: Option<Timestamp>,
    pub decided_by: Option<ChatId>,
    /// What the applicant is told with the decision.
    pub decision_reason: Option<String>,
}

no_relations!();

by_id!(SubmissionId: find, find_for_update, save, newest, next_id);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = SubmissionState)]
pub enum State {
    Open,
    Accepted,
    Refused,
}

/// A submission to insert.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSubmission {
    /// `None`: the service assigns the number.
    pub id: Option<SubmissionId>,
    pub panel: PanelId,
    pub applicant: ChatId,
    pub answers: Json,
}

/// Adds a submission; `None` if the guild already has one with this id. Fails on the foreign key when the panel is
/// unknown. Needs a transaction.
pub async fn add(
    conn: &impl Conn,
    guild: GuildId,
    submission: NewSubmission,
    now: Timestamp,
) -> Result<Option<Model>> {
    let id = match submission.id {
        Some(id) => id,
        None => next_id(conn, guild).await?,
    };
    let row = ActiveModel {
        guild_id: Set(guild),
        submission_id: Set(id),
        panel_id: Set(submission.panel),
        chat_id: Set(submission.applicant),
        answers: Set(submission.answers),
        created_at: Set(now),
        state: Set(State::Open),
        ..Default::default()
    };
    let taken = OnConflict::columns([Column::GuildId, Column::SubmissionId]).do_nothing().to_owned();
    let added = Entity::insert_many([row]).on_conflict(taken).exec_with_returning(conn).await?;
    Ok(added.into_iter().next())
}

/// The open submission of this person to a panel. Whoever adds one locks the panel first.
pub async fn open_of(
    conn: &impl Conn,
    guild: GuildId,
    panel: PanelId,
    applicant: ChatId,
) -> Result<Option<SubmissionId>> {
    Entity::find()
        .select_only()
        .column(Column::SubmissionId)
        .filter(Column::GuildId.eq(guild))
        .filter(Column::ChatId.eq(applicant))
        .filter(Column::PanelId.eq(panel))
        .filter(Expr::cust("state = 'open'"))
        .into_tuple()
        .one(conn)
        .await
}

pub(crate) async fn has_panel(conn: &impl Conn, guild: GuildId, panel: PanelId) -> Result<bool> {
    let of = Entity::find().select_only().column(Column::SubmissionId);
    let of = of.filter(Column::GuildId.eq(guild)).filter(Column::PanelId.eq(panel));
    Ok(of.into_tuple::<SubmissionId>().one(conn).await?.is_some())
}

/// Which submissions are listed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub panel: Option<PanelId>,
    pub applicant: Option<ChatId>,
    pub state: Option<State>,
}

impl Filter {
    pub(crate) fn condition(self) -> Condition {
        Condition::all()
            .add_option(self.panel.map(|panel| Column::PanelId.eq(panel)))
            .add_option(self.applicant.map(|applicant| Column::ChatId.eq(applicant)))
            .add_option(self.state.map(|state| Column::State.eq(state)))
    }
}

/// Submissions of a guild that match, newest first.
pub async fn list(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter,
    page: Page<SubmissionId>,
) -> Result<Vec<Model>> {
    newest(guild, page).filter(filter.condition()).all(conn).await
}
