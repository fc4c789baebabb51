//! Fuzz targets of the platforms' answers.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use testkit::fuzz;

use crate::chat::{ChatMember, ChatRole};
use crate::{answer, discord, roblox};

#[test]
fn platform_answer() {
    let valid: [&[u8]; 5] = [
        br#"{"message":"You are being rate limited.","retry_after":1.337,"global":false,"code":50013}"#,
        br#"{"user":{"id":"80351110224678912","username":"n"},"nick":null,"roles":["41771983423143936"]}"#,
        br#"[{"id":"41771983423143936","name":"r","color":1,"position":2,"permissions":"66321471","managed":false}]"#,
        br#"{"groupMemberships":[{"user":"users/7","role":"groups/1/roles/2"}],"nextPageToken":"t"}"#,
        br#"{"errors":[{"code":1,"message":"m"}],"code":"NOT_FOUND","message":"m"}"#,
    ];
    fuzz("platform answer", &valid, |bytes| {
        for status in [200, 400, 403, 404, 429, 503] {
            drop((discord::classify("GET /x", status, bytes), roblox::classify("GET /x", status, bytes)));
            let mut headers = HeaderMap::new();
            for name in ["retry-after", "x-ratelimit-reset", "x-ratelimit-bucket", "x-ratelimit-reset-after"]
            {
                if let Ok(value) = HeaderValue::from_bytes(&bytes[..bytes.len().min(30)]) {
                    headers.insert(HeaderName::from_static(name), value);
                }
            }
            let (_, pause) = answer::read(status, &headers, bytes);
            assert!(pause.is_none_or(|pause| pause.as_secs() <= 3_600), "{pause:?}");
        }
        serde_json::from_slice::<ChatMember>(bytes).is_ok()
            || serde_json::from_slice::<Vec<ChatRole>>(bytes).is_ok()
    });
}
