//! Submissions by panel, applicant and the state of their tickets.

use sea_orm::entity::prelude::*;
use sea_orm::{Condition, QuerySelect, QueryTrait};

use crate::application_submission::{Column, Entity, Model};
use crate::{ChatId, Conn, GuildId, Page, PanelId, Result, SubmissionId, ticket};

/// The state of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Without a ticket.
    New,
    Ticket(ticket::State),
}

/// Which submissions are listed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub panel: Option<PanelId>,
    pub applicant: Option<ChatId>,
    pub stage: Option<Stage>,
}

/// Submissions of a guild that match, newest first.
pub async fn search(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter,
    page: Page<SubmissionId>,
) -> Result<Vec<Model>> {
    let tickets = |state: Option<ticket::State>| {
        let mut tickets = ticket::Entity::find().select_only().column(ticket::Column::SubmissionId);
        tickets = tickets.filter(ticket::Column::GuildId.eq(guild));
        if let Some(state) = state {
            tickets = tickets.filter(ticket::Column::State.eq(state));
        }
        tickets.into_query()
    };
    let stage = filter.stage.map(|stage| match stage {
        Stage::New => Column::SubmissionId.not_in_subquery(tickets(None)),
        Stage::Ticket(state) => Column::SubmissionId.in_subquery(tickets(Some(state))),
    });
    let shown = Condition::all()
        .add_option(filter.panel.map(|panel| Column::PanelId.eq(panel)))
        .add_option(filter.applicant.map(|applicant| Column::ChatId.eq(applicant)))
        .add_option(stage);
    page.of(Entity::find().filter(Column::GuildId.eq(guild)), Column::SubmissionId)
        .filter(shown)
        .all(conn)
        .await
}
