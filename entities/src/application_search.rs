//! Submissions by panel, applicant, state and ticket.

use sea_orm::entity::prelude::*;
use sea_orm::{QuerySelect, QueryTrait};

use crate::application_submission::{Column, Entity, Filter, Model};
use crate::{Conn, GuildId, Page, Result, SubmissionId, ticket};

/// The ticket of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    None,
    Ticket(ticket::State),
}

/// Submissions of a guild that match, newest first.
pub async fn search(
    conn: &impl Conn,
    guild: GuildId,
    filter: Filter,
    stage: Option<Stage>,
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
    let stage = stage.map(|stage| match stage {
        Stage::None => Column::SubmissionId.not_in_subquery(tickets(None)),
        Stage::Ticket(state) => Column::SubmissionId.in_subquery(tickets(Some(state))),
    });
    let shown = filter.condition().add_option(stage);
    page.of(Entity::find().filter(Column::GuildId.eq(guild)), Column::SubmissionId)
        .filter(shown)
        .all(conn)
        .await
}
