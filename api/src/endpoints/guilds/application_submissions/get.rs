//! GET /guilds/:guildId/application-submissions (docs/rules.md 7).

use entities::application_submission::{self, Filter, State};
use entities::{ChatId, PanelId, SubmissionId};

use crate::endpoints::guilds::application_submissions::record::ApplicationSubmission;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct SubmissionsQuery {
        /// Only submissions to this panel.
        panel_id: Option<PanelId>,
        /// Only submissions of this applicant.
        chat_id: Option<ChatId>,
        state: Option<State>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ApplicationSubmissions {
    submissions: Vec<ApplicationSubmission>,
    #[schema(required)]
    next_cursor: Option<SubmissionId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listApplicationSubmissions", "Submissions, newest first")
        .paged::<SubmissionId>()
        .query::<SubmissionsQuery>()
        .data::<ApplicationSubmissions>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<SubmissionId>()?;
    let SubmissionsQuery { panel_id: panel, chat_id: applicant, state } = call.query()?;
    let filter = Filter { panel, applicant, state };
    let rows = application_submission::list(call.read(), call.guild(), filter, page.to_fetch()).await?;
    let data = |submissions, next_cursor| ApplicationSubmissions { submissions, next_cursor };
    page.reply(rows, |row| row.submission_id, data)
}
