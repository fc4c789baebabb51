//! GET /guilds/:guildId/jobs

use std::borrow::Cow;

use entities::JobId;
use entities::job::Status;
use entities::job::listing::{self, Filter};
use jobs::kinds;
use serde_json::Value;

use crate::endpoints::jobs::record::Job;
use crate::endpoints::prelude::*;
use crate::request::parts::Field;
use crate::schema::shape::{self, Shape};

request! {
    pub(crate) struct JobsQuery {
        /// Only jobs in this state.
        state: Option<Status>,
        /// Only jobs of this kind.
        kind: Option<JobKind>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Jobs {
    jobs: Vec<Job>,
    #[schema(required)]
    next_cursor: Option<JobId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listJobs", "Jobs, newest first").paged::<JobId>().query::<JobsQuery>().data::<Jobs>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<JobId>()?;
    let JobsQuery { state: status, kind } = call.query()?;
    let filter = Filter { guild: Some(call.guild()), status, kind: kind.map(|kind| kind.0), class: None };
    let now = call.now();
    let rows = listing::list(call.read(), filter, page.to_fetch(), now).await?;
    let jobs = rows.iter().map(|row| Job::new(row, now)).collect();
    page.reply(jobs, |job: &Job| job.id, |jobs, next_cursor| Jobs { jobs, next_cursor })
}

#[derive(Debug)]
pub(crate) struct JobKind(&'static str);

impl JobKind {
    fn names() -> impl Iterator<Item = &'static str> {
        kinds::ALL.iter().map(|(kind, _)| *kind)
    }
}

impl Field for JobKind {
    fn allowed() -> Cow<'static, str> {
        format!("one of {}", Self::names().collect::<Vec<_>>().join(", ")).into()
    }

    fn read(sent: &Value) -> Option<Self> {
        let sent = sent.as_str()?;
        Self::names().find(|name| *name == sent).map(Self)
    }

    fn shape() -> Shape {
        shape::word(&Self::names().collect::<Vec<_>>()).example("sync_all")
    }
}
