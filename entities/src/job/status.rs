//! The state of a job as shown to people: a queued job that is not due yet is `scheduled` or `retrying`.

use sea_orm::Condition;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

use super::model::{Column, Model, State};
use crate::Timestamp;
use utoipa::ToSchema;

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    IntoStaticStr,
    VariantArray,
    VariantNames,
    EnumString,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = JobStatus)]
pub enum Status {
    /// Never run, and not due yet.
    Scheduled,
    Queued,
    Running,
    Waiting,
    /// Run before, and not due yet.
    Retrying,
    Succeeded,
    Failed,
    Dead,
    Cancelled,
}

impl Status {
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;
    pub const NAMES: &'static [&'static str] = <Self as VariantNames>::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The rows shown with this status.
    pub(super) fn condition(self, now: Timestamp) -> Condition {
        let in_state = |state: State| Condition::all().add(Column::State.eq(state));
        let later = in_state(State::Queued).add(Column::RunAt.gt(now));
        match self {
            Self::Scheduled => later.add(Column::Token.eq(0)),
            Self::Retrying => later.add(Column::Token.gt(0)),
            Self::Queued => Condition::any()
                .add(in_state(State::Held))
                .add(in_state(State::Queued).add(Column::RunAt.lte(now))),
            Self::Running => in_state(State::Running),
            Self::Waiting => in_state(State::Waiting),
            Self::Succeeded => in_state(State::Succeeded),
            Self::Failed => in_state(State::Failed),
            Self::Dead => in_state(State::Dead),
            Self::Cancelled => in_state(State::Cancelled),
        }
    }
}

impl Model {
    pub fn status(&self, now: Timestamp) -> Status {
        match self.state {
            State::Queued if self.run_at > now && self.token == 0 => Status::Scheduled,
            State::Queued if self.run_at > now => Status::Retrying,
            State::Queued | State::Held => Status::Queued,
            State::Running => Status::Running,
            State::Waiting => Status::Waiting,
            State::Succeeded => Status::Succeeded,
            State::Failed => Status::Failed,
            State::Dead => Status::Dead,
            State::Cancelled => Status::Cancelled,
        }
    }
}
