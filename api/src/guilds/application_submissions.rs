//! `/guilds/:guildId/application-submissions`: what people sent in, and the tickets made from it (docs/rules.md 7).

mod create_ticket;

pub(crate) use create_ticket::create_ticket;
use entities::application_submission::{self, Model, NewSubmission};
use entities::{ChatId, PanelId, SubmissionId, application_panel};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::fields::{Field, Object};
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;
use crate::time::Seconds;

/// Bytes of the answers as JSON.
const ANSWERS_MAX: usize = 32 * 1024;

#[derive(Serialize)]
struct Submissions {
    submissions: Vec<Submission>,
    next_cursor: Option<SubmissionId>,
}

#[derive(Serialize)]
struct Submission {
    submission_id: SubmissionId,
    panel_id: PanelId,
    /// The applicant.
    chat_id: ChatId,
    answers: Value,
    created_at: Seconds,
}

impl From<Model> for Submission {
    fn from(row: Model) -> Self {
        Self {
            submission_id: row.submission_id,
            panel_id: row.panel_id,
            chat_id: row.chat_id,
            answers: row.answers,
            created_at: Seconds(row.created_at),
        }
    }
}

/// GET, newest first; `panel_id` narrows the list.
pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<SubmissionId>::of(&call, "the `submission_id` of a submission")?;
    let panel = call.query.parsed("panel_id", &PanelId::allowed())?;
    let mut rows = application_submission::list(call.read(), call.guild(), panel, page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.submission_id);
    let submissions = rows.into_iter().map(Submission::from).collect();
    Reply::data(&Submissions { submissions, next_cursor })
}

/// POST: numbered by the service, unless the guild brings a number of its own.
pub(crate) async fn add(call: Call) -> Result<Reply, ApiError> {
    let new = NewSubmission {
        id: call.fields.optional("submission_id")?,
        panel: call.fields.required("panel_id")?,
        applicant: call.fields.required("chat_id")?,
        answers: answers(&call)?,
    };
    let transaction = call.begin().await?;
    if application_panel::find(&transaction, call.guild(), new.panel).await?.is_none() {
        return Err(ApiError::not_found("panel"));
    }
    let added = application_submission::add(&transaction, call.guild(), new, call.now()).await?;
    let submission = Submission::from(added.ok_or_else(|| {
        ApiError::conflict(
            "submission_exists",
            "the guild has a submission with this `submission_id` already",
        )
    })?);
    // What people wrote stays where it was written.
    let after = json!({ "panel_id": submission.panel_id, "chat_id": submission.chat_id });
    let (id, metadata) = (submission.submission_id, json!({ "after": after }));
    call.audit(&transaction, "application_submissions.add", id, metadata).await?;
    call.commit(transaction, Reply::data(&submission)?.with_message("submission added")).await
}

fn answers(call: &Call) -> Result<Value, ApiError> {
    let Object(answers) = call.fields.optional("answers")?.unwrap_or(Object(Map::new()));
    let answers = Value::Object(answers);
    let size = answers.to_string().len();
    if size > ANSWERS_MAX {
        let allowed = format!("an object of at most {ANSWERS_MAX} bytes");
        return Err(ApiError::field("answers", &format!("{size} bytes").into(), &allowed));
    }
    Ok(answers)
}
