use super::*;

#[test]
fn the_envelope_omits_absent_message_and_data() {
    let text = |reply: &Reply| String::from_utf8(reply.render().unwrap().to_vec()).unwrap();
    assert_eq!(text(&Reply::message("done")), r#"{"status":"success","code":200,"message":"done"}"#);
    assert_eq!(text(&Reply::data(&[1, 2]).unwrap()), r#"{"status":"success","code":200,"data":[1,2]}"#);
    let job = JobId(uuid::Uuid::nil());
    let accepted = Reply::accepted(job).unwrap();
    assert!(text(&accepted).starts_with(r#"{"status":"success","code":202,"message":"#));
    assert_eq!(accepted.location.as_deref(), Some("/jobs/00000000-0000-0000-0000-000000000000"));
}

#[test]
fn an_end_is_the_next_whole_second() {
    let end = |text: &str| whole_second_from(text.parse().unwrap()).to_rfc3339();
    assert_eq!(end("2026-01-02T03:04:05.000001Z"), "2026-01-02T03:04:06+00:00");
    assert_eq!(end("2026-01-02T03:04:05Z"), "2026-01-02T03:04:05+00:00");
}

#[test]
fn fractions_are_cut_and_the_zone_is_z() {
    let time = "2026-01-02T03:04:05.987654+02:00".parse::<chrono::DateTime<chrono::FixedOffset>>().unwrap();
    assert_eq!(serde_json::to_string(&Seconds(time.to_utc())).unwrap(), r#""2026-01-02T01:04:05Z""#);
}
