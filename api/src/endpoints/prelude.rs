//! Imports that most endpoints need.

pub(crate) use entities::cap::Cap;
pub(crate) use serde::Serialize;
pub(crate) use serde_json::json;
pub(crate) use utoipa::ToSchema;

pub(crate) use crate::call::Call;
pub(crate) use crate::call::operation::Operation;
pub(crate) use crate::call::unit_of_work::UnitOfWork;
pub(crate) use crate::request::parts::{Patch, request};
pub(crate) use crate::request::values::Text;
pub(crate) use crate::response::created::Created;
pub(crate) use crate::response::error::{ApiError, OrNotFound};
pub(crate) use crate::response::reply::Reply;
pub(crate) use crate::response::rows::{Seconds, answer};
