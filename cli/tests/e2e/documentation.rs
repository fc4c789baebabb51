//! `/openapi.json` and `/docs`, and the check that compares every answer of these tests with the document.

use std::panic::{AssertUnwindSafe, catch_unwind};

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Deployment, both_modes, contract, http_client};

both_modes!(the_documentation_needs_no_key_and_no_other_host, the_contract_check_finds_undocumented_answers);

const FILES: [(&str, &str); 5] = [
    ("/openapi.json", "application/json"),
    ("/docs", "text/html; charset=utf-8"),
    ("/docs/page.css", "text/css; charset=utf-8"),
    ("/docs/page.js", "text/javascript; charset=utf-8"),
    ("/docs/examples.js", "text/javascript; charset=utf-8"),
];

async fn the_documentation_needs_no_key_and_no_other_host(deployment: &Deployment) {
    let base = deployment.api_base(0);
    for (path, kind) in FILES {
        for prefix in ["", "/api/v1"] {
            let response = http_client().get(format!("{base}{prefix}{path}")).send().await.unwrap();
            assert_eq!(
                (response.status().as_u16(), &response.headers()["content-type"]),
                (200, &kind.parse().unwrap())
            );
            assert!(response.headers().contains_key("content-security-policy"), "{path}");
            let text = response.text().await.unwrap();
            assert!(!text.contains("http://") && !text.contains("https://"), "{path} names another host");
        }
        let refused = deployment.api().send(Method::POST, path, Some(json!({}))).await.refused(405, &["GET"]);
        assert_eq!(refused.header("allow"), Some("GET, HEAD"));
    }
}

async fn the_contract_check_finds_undocumented_answers(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let base = deployment.api_base(0);
    let judge = contract(&http_client(), &base).await;
    let path = format!("/lookup/chat/{}", guild.members[0].chat);
    let good = api.get(&path).await;
    let noticed = |status: u16, change: fn(&mut Value)| {
        let mut answer = good.clone();
        answer.status = status;
        change(&mut answer.body);
        catch_unwind(AssertUnwindSafe(|| judge.check("GET", &path, &answer))).is_err()
    };
    assert!(!noticed(200, |_| {}));
    assert!(!noticed(200, |body| body["data"]["more"] = json!(1)), "further fields are fine");
    assert!(noticed(200, |body| body["data"]["play_id"] = json!("17")), "another type");
    assert!(
        noticed(200, |body| body["data"]["verified_at"] = json!("2026-04-12T18:33:21.5Z")),
        "another form"
    );
    assert!(noticed(200, |body| body["data"] = json!({})), "fields left out");
    assert!(noticed(418, |_| {}), "a status that is not documented");
    assert!(noticed(404, |_| {}), "a success as the body of an error");
    let elsewhere = |path: &str| catch_unwind(AssertUnwindSafe(|| judge.check("GET", path, &good))).is_err();
    assert!(
        elsewhere("/lookup/nothing/17") && elsewhere("/reverse"),
        "a path or method that is not documented"
    );
}
