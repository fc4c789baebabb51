//! GET /guilds/:guildId/jobs: a guild's jobs, newest first; `state` and `kind` narrow the list.

use entities::JobId;
use entities::job::Status;
use entities::job::listing::{self, Filter};
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::jobs::JobView;
use crate::page::Page;

#[derive(Serialize)]
struct Jobs {
    jobs: Vec<JobView>,
    next_cursor: Option<JobId>,
}

pub(crate) async fn jobs(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<JobId>::of(&call, "the `id` of a job")?;
    let status = call.query.text("state").map(status).transpose()?;
    let kind = call.query.text("kind").map(kind).transpose()?;
    let filter = Filter { guild: Some(call.guild()), status, kind };
    let mut rows = listing::list(call.read(), filter, page.to_fetch(), call.now()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.job_id);
    let now = call.now();
    Reply::data(&Jobs { jobs: rows.into_iter().map(|row| JobView::of(row, now)).collect(), next_cursor })
}

fn kind(text: &str) -> Result<&str, ApiError> {
    let kinds = || queue::kinds::ALL.iter().map(|(kind, _)| *kind);
    if kinds().any(|kind| kind == text) {
        return Ok(text);
    }
    let names: Vec<_> = kinds().collect();
    Err(ApiError::field("kind", &text.into(), &format!("one of {}", names.join(", "))))
}

fn status(text: &str) -> Result<Status, ApiError> {
    let names = || format!("one of {}", Status::NAMES.join(", "));
    text.parse().map_err(|_| ApiError::field("state", &text.into(), &names()))
}
