//! `/health/live`, `/health/ready` and `/metrics`, as in every process.
//!
//! They share the API's port; where that is public, the load balancer must block `/metrics`.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use runtime::ops_answer;

use crate::response::error::ApiError;
use crate::state::State;

pub(crate) async fn answer(path: &'static str, state: Arc<State>) -> Result<Response<Bytes>, ApiError> {
    ops_answer(path, &state.context.readiness).await.ok_or_else(ApiError::no_such_path)
}
