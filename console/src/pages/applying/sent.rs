//! What a member has sent, and how it stands: as the member may see it.

use entities::SubmissionId;
use entities::application_panel::Model as Panel;
use entities::application_submission::{Model, State};

use crate::html::format::When;
use crate::pages::guilds::applications::submission::answers;
use crate::visit::Visit;

pub(super) struct Sent {
    pub(super) id: SubmissionId,
    pub(super) panel: String,
    /// The page of the panel.
    pub(super) url: String,
    /// A meaning, and a word.
    pub(super) state: (&'static str, &'static str),
    pub(super) at: When,
    pub(super) decided: Option<When>,
    /// What the member was told with the decision; empty: nothing.
    pub(super) word: String,
    /// Question and answer.
    pub(super) answers: Vec<(String, String)>,
}

impl Sent {
    pub(super) fn of(visit: &Visit, row: Model, panel: Option<&Panel>) -> Self {
        Self {
            id: row.submission_id,
            panel: panel.map_or_else(|| row.panel_id.to_string(), |panel| panel.name.clone()),
            url: format!("/apply/{}/{}", row.guild_id, row.panel_id),
            state: mark(row.state),
            at: visit.when(row.created_at),
            decided: row.decided_at.map(|at| visit.when(at)),
            answers: answers(panel.map(|panel| &panel.questions), &row.answers),
            word: row.decision_reason.unwrap_or_default(),
        }
    }
}

fn mark(state: State) -> (&'static str, &'static str) {
    match state {
        State::Open => ("info", "waits for staff"),
        State::Accepted => ("good", "accepted"),
        State::Refused => ("bad", "refused"),
    }
}
