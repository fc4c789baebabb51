//! `/openapi.json` and `/docs`, and the check that compares every answer of these tests with the document.

use std::panic::{AssertUnwindSafe, catch_unwind};

use reqwest::{Method, redirect};
use serde_json::{Value, json};

use testkit::{Deployment, contract, http_client, in_turn};

in_turn!(
    the_documentation_needs_no_key_and_no_other_host,
    a_slash_at_the_end_leads_to_the_page,
    examples_of_ends_are_good_to_send,
    the_contract_check_finds_undocumented_answers
);

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
            // An example of a URL that a client sends.
            let text = response.text().await.unwrap().replace("https://example.org/", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{path} names another host");
        }
        let refused = deployment.api().send(Method::POST, path, Some(json!({}))).await.refused(405, &["GET"]);
        assert_eq!(refused.header("allow"), Some("GET, HEAD"));
    }
}

async fn a_slash_at_the_end_leads_to_the_page(deployment: &Deployment) {
    let base = deployment.api_base(0);
    let client = testkit::http_builder().redirect(redirect::Policy::none()).build().unwrap();
    for prefix in ["", "/api/v1"] {
        let asked = client.get(format!("{base}{prefix}/docs/")).send().await.unwrap();
        assert_eq!(
            (asked.status().as_u16(), &asked.headers()["location"]),
            (308, &"../docs".parse().unwrap())
        );
        let page = http_client().get(asked.url().join("../docs").unwrap()).send().await.unwrap();
        assert_eq!((page.url().path(), page.status().as_u16()), (&*format!("{prefix}/docs"), 200));
        let style = http_client().get(page.url().join("docs/page.css").unwrap()).send().await.unwrap();
        assert_eq!(style.status(), 200);
    }
}

/// The examples of the document, sent with ids of this guild.
async fn examples_of_ends_are_good_to_send(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().key(&deployment.guild().admin_key));
    let document =
        http_client().get(format!("{}/openapi.json", deployment.api_base(0))).send().await.unwrap();
    let document: Value = serde_json::from_str(&document.text().await.unwrap()).unwrap();
    for path in ["strikes", "loa", "leave-requests"] {
        let template = format!("/guilds/{{guildId}}/staff/{path}");
        let content = &document["paths"][&template]["post"]["requestBody"]["content"]["application/json"];
        let mut body = content["example"].clone();
        assert!(body.to_string().contains("2099-"), "{path}: {body}");
        body["staff_id"] = json!(guild.members[1].chat);
        body["guild_id"] = json!(guild.id);
        api.post(&template.replace("{guildId}", &guild.id), body).await.ok();
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
