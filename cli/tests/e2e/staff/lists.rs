//! Lists without paging in the interface are complete unless the query names a limit.

use serde_json::{Value, json};

use super::path;
use testkit::{Deployment, both_modes};

both_modes!(a_list_is_complete_unless_the_query_has_a_limit);

async fn a_list_is_complete_unless_the_query_has_a_limit(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let staff = &guild.members[1].chat;
    let create = async |rest: &str, n: usize| {
        let body = json!({
            "staff_id": staff, "reason": "x", "severity": 1, "body": format!("{n}"),
            "starts_at": format!("203{n}-01-01T00:00:00Z"), "ends_at": format!("203{n}-02-01T00:00:00Z"),
            "name": "x", "metric": "ban", "target": 1, "period": "all",
        });
        api.post(&path(deployment, rest), body).await.ok()["id"].as_i64().unwrap()
    };
    for (rest, field) in [("loa", "loas"), ("strikes", "strikes"), ("notes", ""), ("quota", "quotas")] {
        let mut ids = Vec::new();
        for n in 0..5 {
            ids.push(create(rest, n).await);
        }
        ids.reverse();
        let get = async |query: &str| {
            let data = api.get(&path(deployment, &format!("{rest}{query}"))).await.ok();
            let items = if field.is_empty() { &data } else { &data[field] };
            let ids: Vec<i64> =
                items.as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect();
            (ids, data.get("next_cursor").cloned().unwrap_or(Value::Null))
        };
        assert_eq!(get("").await, (ids.clone(), Value::Null), "{rest}");
        let next = if field.is_empty() { Value::Null } else { json!(ids[1]) };
        assert_eq!(get("?limit=2").await, (ids[..2].to_vec(), next), "{rest}");
        let rest_of_them = get(&format!("?limit=100&cursor={}", ids[1])).await;
        assert_eq!(rest_of_them, (ids[2..].to_vec(), Value::Null), "{rest}");
        for bad in ["limit=0", "limit=x", "cursor=x"] {
            let name = bad.split('=').next().unwrap();
            api.get(&path(deployment, &format!("{rest}?{bad}"))).await.refused(400, &[name]);
        }
    }
}
