//! The meaning of the chat platform's refusals.

use runtime::CHAT_TOKEN;
use serde::Deserialize;

use crate::error::{Missing, PlatformError, Refusal};

#[derive(Deserialize, Default)]
struct ErrorBody {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

/// A refusal without a readable body is classified by its status.
pub(crate) fn classify(route: &'static str, status: u16, body: &[u8]) -> PlatformError {
    let ErrorBody { code, message } = serde_json::from_slice(body).unwrap_or_default();
    Refusal { code, message, missing: missing(code), credential: CHAT_TOKEN }.classify(route, status)
}

fn missing(code: i64) -> Missing {
    match code {
        10003 => Missing::Channel,
        10004 => Missing::Guild,
        10007 => Missing::Member,
        10011 => Missing::Role,
        10013 => Missing::User,
        10026 => Missing::Ban,
        _ => Missing::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> PlatformError {
        classify("GET /x", status, body.as_bytes())
    }

    #[test]
    fn every_status_has_its_class() {
        assert_eq!(of(401, "{}"), PlatformError::Unauthorized(CHAT_TOKEN));
        let refused = of(403, r#"{"code":50013,"message":"Missing Permissions"}"#);
        assert_eq!(refused, PlatformError::Forbidden { code: 50013, message: "Missing Permissions".into() });
        let codes =
            [(10007, Missing::Member), (10011, Missing::Role), (10026, Missing::Ban), (0, Missing::Other)];
        for (code, missing) in codes {
            assert_eq!(of(404, &format!(r#"{{"code":{code}}}"#)), PlatformError::NotFound(missing));
        }
        assert!(matches!(of(400, r#"{"code":50035}"#), PlatformError::Invalid { code: 50035, .. }));
        for status in [301, 408, 500, 502, 503, 520] {
            assert!(of(status, "<html>").is_retryable(), "{status}");
        }
        assert!(!of(405, "").is_retryable());
    }
}
