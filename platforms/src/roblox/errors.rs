//! The meaning of the game platform's refusals.

use runtime::PLAY_KEY;
use serde::Deserialize;

use crate::error::{Missing, PlatformError, Refusal};

/// The Open Cloud sends `{"code":"NOT_FOUND","message":"..."}`, without a number; the status serves as the number.
#[derive(Deserialize, Default)]
struct ErrorBody {
    #[serde(default)]
    message: String,
}

pub(crate) fn classify(route: &'static str, status: u16, body: &[u8]) -> PlatformError {
    let ErrorBody { message } = serde_json::from_slice(body).unwrap_or_default();
    Refusal { code: status.into(), message, missing: Missing::Other, credential: PLAY_KEY }
        .classify(route, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_class() {
        let of = |status| classify("GET /x", status, br#"{"code":"X","message":"m"}"#);
        assert_eq!(of(401), PlatformError::Unauthorized(PLAY_KEY));
        assert_eq!(of(403), PlatformError::Forbidden { code: 403, message: "m".into() });
        assert_eq!(of(404), PlatformError::NotFound(Missing::Other));
        assert!(matches!(of(400), PlatformError::Invalid { code: 400, .. }));
        assert!(of(500).is_retryable() && of(503).is_retryable());
    }
}
