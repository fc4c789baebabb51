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
