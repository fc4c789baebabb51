use std::time::Duration;

use entities::job::Failure;
use platforms::{Missing, PlatformError};
use runtime::Decision;
use serde_json::json;

use super::*;
use crate::response::reply::render_error;

fn told(error: &ApiError) -> (u16, &str, bool) {
    let parts = error.parts();
    (parts.kind.row().0.as_u16(), &parts.word, parts.retry_after.is_some())
}

/// Every source of an error, with its status, its code, and whether it has a retry time.
#[test]
fn the_whole_mapping() {
    let sent = json!(256);
    let window =
        Decision { allowed: false, limit: 1, remaining: 0, reset_after: Duration::from_millis(1_500) };
    let failure = |status| Failure { status, error: "w".into(), message: "m".into(), retry_after: None };
    let wait = Duration::from_secs(2);
    let cases: Vec<(ApiError, (u16, &str, bool))> = vec![
        (ApiError::body("invalid_json", "m"), (400, "invalid_json", false)),
        (ApiError::field("rank", &sent, "small"), (400, "invalid_field", false)),
        (ApiError::missing("rank", "small"), (400, "missing_field", false)),
        (ApiError::key("key_unknown", "m"), (401, "key_unknown", false)),
        (ApiError::forbidden("other_guild", "m"), (403, "other_guild", false)),
        (ApiError::not_found("job"), (404, "not_found", false)),
        (ApiError::not_linked(), (404, "not_linked", false)),
        (ApiError::no_such_path(), (404, "no_such_path", false)),
        (ApiError::method_not_allowed("GET".into()), (405, "method_not_allowed", false)),
        (ApiError::body_timeout(), (408, "request_timeout", false)),
        (ApiError::conflict("binding_exists", "m"), (409, "binding_exists", false)),
        (ApiError::still_running(), (409, "still_running", true)),
        (ApiError::body_too_large(9), (413, "body_too_large", false)),
        (ApiError::media_type("text/plain"), (415, "unsupported_media_type", false)),
        (ApiError::rule("unknown_group", "m"), (422, "unknown_group", false)),
        (ApiError::upgrade_required(), (426, "upgrade_required", false)),
        (ApiError::over_limit(RateLimit::BanStatus, window), (429, "rate_limited", true)),
        (ApiError::too_many_failures(3), (429, "too_many_failures", true)),
        (ApiError::internal("cause"), (500, "internal", false)),
        (ApiError::unavailable("limits_unavailable", "m"), (503, "limits_unavailable", true)),
        (serde_json::from_str::<u8>("x").unwrap_err().into(), (500, "internal", false)),
        (failure(404).into(), (404, "w", false)),
        (failure(422).into(), (422, "w", false)),
        (failure(502).into(), (502, "w", true)),
        (failure(503).into(), (503, "w", true)),
        (failure(500).into(), (500, "internal", false)),
        (failure(799).into(), (500, "internal", false)),
        (PlatformError::NotFound(Missing::Guild).into(), (503, "guild_not_reached", true)),
        (
            PlatformError::Forbidden { code: 50_001, message: "m".into() }.into(),
            (503, "guild_not_reached", true),
        ),
        (PlatformError::Forbidden { code: 1, message: "m".into() }.into(), (502, "platform_refused", true)),
        (PlatformError::MembersIntentOff.into(), (502, "members_intent_off", true)),
        (PlatformError::Invalid { code: 1, message: "m".into() }.into(), (422, "platform_invalid", false)),
        (PlatformError::Unauthorized("V").into(), (502, "platform_unauthorized", true)),
        (PlatformError::RateLimited { retry_after: wait }.into(), (503, "platform_rate_limited", true)),
        (PlatformError::NotConfigured("V").into(), (503, "platform_not_configured", true)),
        (
            PlatformError::Unavailable { route: "GET /x", cause: "timed out".into() }.into(),
            (503, "platform_unavailable", true),
        ),
        (
            PlatformError::Stopped { reason: "r".into(), retry_after: None }.into(),
            (503, "platform_stopped", true),
        ),
    ];
    for (error, expected) in &cases {
        assert_eq!(told(error), *expected, "{error:?}");
    }
}

#[test]
fn the_envelope_carries_word_ids_and_one_retry_number() {
    let window =
        Decision { allowed: false, limit: 1, remaining: 0, reset_after: Duration::from_millis(1_500) };
    let error = ApiError::over_limit(RateLimit::BanStatus, window);
    let mut expected = json!({
        "status": "error", "code": 429, "message": "rate limit exceeded",
        "error": "rate_limited", "request_id": "r-1", "retry_after": 2,
    });
    let rendered = |trace| serde_json::from_str::<Value>(&render_error(&error, "r-1", trace)).unwrap();
    assert_eq!(rendered(None), expected);
    expected["trace_id"] = json!("t-1");
    assert_eq!(rendered(Some("t-1")), expected);
}

#[test]
fn a_bug_shows_nothing_of_its_cause() {
    let failed = ApiError::from(Failure {
        status: 500,
        error: "worker_lost".into(),
        message: "secret".into(),
        retry_after: None,
    });
    assert!(!render_error(&failed, "r", None).contains("secret"));
    assert!(failed.parts().cause.as_deref().is_some_and(|cause| cause.contains("secret")));
}

#[test]
fn a_platform_s_retry_after_is_kept() {
    let limited = ApiError::from(PlatformError::RateLimited { retry_after: Duration::from_millis(2_100) });
    assert_eq!(limited.parts().retry_after, Some(3));
    let unset = ApiError::from(PlatformError::NotConfigured("GUILDHALL_CHAT_TOKEN"));
    assert_eq!(unset.parts().retry_after, Some(60));
    assert!(unset.parts().message.contains("GUILDHALL_CHAT_TOKEN"));
}
