//! `/health/live`, `/health/ready` and `/metrics`, as every process answers them: no key, no envelope, no quota.
//!
//! They share the API's port; where that is public, the load balancer keeps `/metrics` inside.

use ::http::{Method, Response};
use bytes::Bytes;
use runtime::{Readiness, ops_answer};

use super::error::ApiError;

const PATHS: [&str; 3] = ["/health/live", "/health/ready", "/metrics"];

/// `None`: another path.
pub(super) async fn answer(
    method: &Method,
    path: &str,
    readiness: &Readiness,
) -> Option<Result<Response<Bytes>, ApiError>> {
    if !PATHS.contains(&path) {
        return None;
    }
    if *method != Method::GET {
        return Some(Err(ApiError::method_not_allowed("GET, HEAD".to_owned())));
    }
    ops_answer(path, readiness).await.map(Ok)
}
