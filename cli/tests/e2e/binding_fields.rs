//! Which fields bindings of each type take, and what their templates know (docs/rules.md 5).

use serde_json::{Value, json};

use testkit::{Deployment, in_turn};

use crate::binding_types::{add, unbound, with};

in_turn!(
    each_type_takes_its_own_fields,
    a_type_is_changed_with_its_fields,
    templates_know_their_words,
    a_range_and_a_role_are_validated,
);

async fn each_type_takes_its_own_fields(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let all = json!({ "group_id": 5, "rank": 1, "min_rank": 1, "max_rank": 2, "group_role_id": 6 });
    for (kind, own) in [
        ("group_rank", &["group_id", "rank"][..]),
        ("group_rank_range", &["group_id", "min_rank", "max_rank"]),
        ("group_member", &["group_id"]),
        ("group_role", &["group_id", "group_role_id"]),
        ("verified", &[]),
        ("unverified", &[]),
    ] {
        // A key for each type, so that no rate limit refuses a call.
        let api = api.key(&deployment.new_key("").await);
        let base = json!({ "type": kind, "role_id": guild.roles[0] });
        let fitting: Value = own.iter().map(|field| ((*field).to_owned(), all[*field].clone())).collect();
        let fitting = with(base, &fitting);
        for field in own {
            let mut lacking = fitting.clone();
            lacking.as_object_mut().unwrap().remove(*field);
            let refused = api.post("/bindings/validate", lacking).await.refused(400, &[field, kind]);
            assert_eq!(refused.error(), "missing_field");
        }
        for (field, value) in
            all.as_object().unwrap().iter().filter(|(field, _)| !own.contains(&field.as_str()))
        {
            let more = with(fitting.clone(), &json!({ field: value }));
            let refused = api.post("/bindings/validate", more).await.refused(422, &[field, kind]);
            assert_eq!(refused.error(), "field_of_other_type");
        }
        add(&api, fitting.clone()).await;
        let named = with(fitting, &json!({ "priority": 1 }));
        // The same binding again, whatever its name for members; members without a link get none.
        let status = if kind == "unverified" { 422 } else { 409 };
        api.post("/bindings/add", named).await.refused(status, &[]);
    }
    let range = |min: i64, max: i64| json!({ "type": "group_rank_range", "group_id": 5, "min_rank": min, "max_rank": max, "role_id": "7" });
    api.post("/bindings/add", range(3, 2)).await.refused(422, &["min_rank", "max_rank"]);
    api.post("/bindings/add", range(0, 2)).await.refused(400, &["min_rank", "1"]);
    api.post("/bindings/add", range(1, 256)).await.refused(400, &["max_rank", "255"]);
    api.post("/bindings/add", with(range(1, 2), &json!({ "priority": 1001 })))
        .await
        .refused(400, &["priority"]);
}

async fn a_type_is_changed_with_its_fields(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let role = &guild.roles[0];
    let id = add(
        &api,
        json!({ "type": "group_rank", "group_id": 5, "rank": 3, "role_id": role, "priority": 4,
                               "nickname_template": "{rank}" }),
    )
    .await;
    let update =
        async |fields: Value| api.patch("/bindings/update", with(json!({ "binding_id": id }), &fields)).await;
    let is = async |expected: Value| {
        let listed = api.get("/bindings/list").await.ok()["bindings"].clone();
        assert_eq!(listed, json!([with(json!({ "id": id, "role_id": role }), &expected)]));
    };
    update(json!({ "type": "group_rank_range" })).await.refused(400, &["min_rank"]);
    update(json!({ "min_rank": 1 })).await.refused(422, &["min_rank", "group_rank"]);
    update(json!({ "rank": 0 })).await.refused(422, &["nickname_template"]);
    update(json!({ "type": "verified" })).await.refused(422, &["nickname_template"]);
    update(json!({ "type": "group_rank_range", "min_rank": 1, "max_rank": 9 })).await.ok();
    is(json!({ "type": "group_rank_range", "group_id": 5, "min_rank": 1, "max_rank": 9, "priority": 4,
               "nickname_template": "{rank}" }))
    .await;
    update(json!({ "type": "group_member", "nickname_template": null, "priority": 0 })).await.ok();
    is(json!({ "type": "group_member", "group_id": 5, "priority": 0, "nickname_template": null })).await;
    update(json!({ "type": "group_role", "group_role_id": "77" })).await.ok();
    is(json!({ "type": "group_role", "group_id": 5, "group_role_id": 77, "priority": 0, "nickname_template": null })).await;
    update(json!({ "type": "unverified" })).await.ok();
    is(json!({ "type": "unverified", "priority": 0, "nickname_template": null })).await;
}

async fn templates_know_their_words(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let settings = format!("/guilds/{}/settings", guild.id);
    let of_guild = ["play_username", "play_display_name", "play_id", "chat_username"];
    let all = [&of_guild[..], &["rank", "rank_name"]].concat();
    let named = |template: &str| json!({ "type": "group_member", "group_id": guild.group, "role_id": guild.roles[0], "nickname_template": template });
    for word in &all {
        let template = format!("a {{{word}}} b");
        api.post("/bindings/validate", named(&template)).await.ok();
        let answer = api.patch(&settings, json!({ "nickname_template": template })).await;
        if of_guild.contains(word) {
            answer.ok();
        } else {
            answer.refused(400, &[&["nickname_template"][..], &of_guild].concat());
        }
    }
    let unknown = api.post("/bindings/add", named("{rang}")).await;
    unknown.refused(400, &[&["nickname_template"][..], &all].concat());
    api.post("/bindings/add", named(&"x".repeat(201))).await.refused(400, &["nickname_template", "200"]);
    let verified = json!({ "type": "verified", "role_id": guild.roles[0], "nickname_template": "{rank}" });
    assert_eq!(
        api.post("/bindings/add", verified).await.refused(422, &["nickname_template"]).error(),
        "no_rank"
    );
}

async fn a_range_and_a_role_are_validated(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let check = async |fields: Value| {
        let binding = with(json!({ "group_id": guild.group, "role_id": guild.roles[0] }), &fields);
        let told = api.post("/bindings/validate", binding).await.ok();
        (told["valid"].as_bool().unwrap(), told["reasons"][0]["field"].as_str().map(str::to_owned))
    };
    let range = |min: i64, max: i64| json!({ "type": "group_rank_range", "min_rank": min, "max_rank": max });
    let role = |id: i64| json!({ "type": "group_role", "group_role_id": id });
    assert_eq!(check(range(40, 60)).await, (true, None));
    assert_eq!(check(range(51, 60)).await, (false, Some("min_rank".to_owned())));
    assert_eq!(check(role(guild.group * 1_000)).await, (true, None));
    assert_eq!(check(role(7)).await, (false, Some("group_role_id".to_owned())));
    assert_eq!(check(json!({ "type": "group_member" })).await, (true, None));
    let verified = json!({ "type": "verified", "role_id": guild.high_role });
    let told = api.post("/bindings/validate", verified).await.ok();
    assert_eq!(told["reasons"][0]["field"], "role_id");
}
