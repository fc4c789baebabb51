//! `/bindings/...` (docs/rules.md 5).

use serde_json::{Value, json};

use testkit::{Api, Deployment, both_modes, in_turn};

both_modes!(
    a_binding_is_created_updated_and_deleted,
    the_same_binding_twice_is_a_conflict,
    another_guilds_binding_answers_as_an_unknown_one,
    a_binding_test_reads_the_users_rank_and_saves_nothing,
);

in_turn!(validate_names_the_invalid_field,);

async fn list(api: &Api) -> Vec<Value> {
    api.get("/bindings/list").await.ok()["bindings"].as_array().unwrap().clone()
}

async fn a_binding_is_created_updated_and_deleted(deployment: &Deployment) {
    let (api, guild) = (deployment.api().header("x-guild-id", &deployment.guild().id), deployment.guild());
    assert_eq!(list(&api).await.len(), 4);
    let body = json!({ "guild_id": guild.id, "type": "group_rank", "group_id": guild.group, "rank": 255,
                       "role_id": guild.roles[0] });
    let added = api.post("/bindings/add", body).await;
    assert!(!added.message().is_empty());
    let id = added.ok()["id"].as_i64().unwrap();
    let wanted = json!({ "id": id, "type": "group_rank", "group_id": guild.group, "rank": 255, "role_id": guild.roles[0],
                         "priority": 0, "nickname_template": null });
    assert!(list(&api).await.contains(&wanted), "{:?}", list(&api).await);

    let changed = api.patch("/bindings/update", json!({ "binding_id": id, "rank": 254 })).await;
    assert!(!changed.message().is_empty());
    changed.ok();
    let body = json!({ "binding_id": id.to_string(), "role_id": guild.roles[1], "group_id": 77 });
    api.patch("/bindings/update", body).await.ok();
    let wanted = json!({ "id": id, "type": "group_rank", "group_id": 77, "rank": 254, "role_id": guild.roles[1],
                "priority": 0, "nickname_template": null });
    assert!(list(&api).await.contains(&wanted), "{:?}", list(&api).await);

    let removed = api.delete(&format!("/bindings/remove/{id}")).await;
    assert!(!removed.message().is_empty());
    removed.ok();
    assert_eq!(list(&api).await.len(), 4);
    api.delete(&format!("/bindings/remove/{id}")).await.refused(404, &[]);
    api.patch("/bindings/update", json!({ "binding_id": id, "rank": 1 })).await.refused(404, &[]);
}

async fn the_same_binding_twice_is_a_conflict(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let same = json!({ "type": "group_rank", "group_id": guild.group, "rank": 1, "role_id": guild.roles[0] });
    api.post("/bindings/add", same).await.refused(409, &[]);
    let first = list(&api).await[0].clone();
    let second = list(&api).await[1].clone();
    let body = json!({ "binding_id": second["id"], "rank": first["rank"], "role_id": first["role_id"] });
    api.patch("/bindings/update", body).await.refused(409, &[]);
    // An update to the binding's present values is not a conflict.
    let body = json!({ "binding_id": second["id"], "rank": second["rank"] });
    api.patch("/bindings/update", body).await.ok();
    assert_eq!(list(&api).await.len(), 4);
    // Of concurrent identical requests one succeeds.
    let body = json!({ "type": "group_rank", "group_id": 4, "rank": 4, "role_id": guild.roles[0] });
    let answers =
        futures_util::future::join_all((0..6).map(|_| api.post("/bindings/add", body.clone()))).await;
    let mut codes: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    codes.sort_unstable();
    assert_eq!(codes, [200, 409, 409, 409, 409, 409]);
}

async fn another_guilds_binding_answers_as_an_unknown_one(deployment: &Deployment) {
    let (api, other) = (deployment.api(), deployment.other_guild());
    let their_api = api.key(&other.admin_key);
    let theirs = list(&their_api).await;
    let id = &theirs[0]["id"];
    let unknown = api.delete("/bindings/remove/987654321").await.refused(404, &[]);
    let foreign = api.delete(&format!("/bindings/remove/{id}")).await.refused(404, &[]);
    assert_eq!(unknown.without_request_id(), foreign.without_request_id());
    let unknown = api.patch("/bindings/update", json!({ "binding_id": 987_654_321, "rank": 3 })).await;
    let foreign =
        api.patch("/bindings/update", json!({ "binding_id": id, "rank": 3 })).await.refused(404, &[]);
    assert_eq!(unknown.refused(404, &[]).without_request_id(), foreign.without_request_id());
    assert_eq!(list(&their_api).await, theirs);
}

async fn a_binding_test_reads_the_users_rank_and_saves_nothing(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = &guild.members[2];
    let test = |chat: &str, rank: i64| json!({ "guild_id": guild.id, "chat_id": chat, "type": "group_rank", "group_id": guild.group, "rank": rank });
    let data = api.post("/bindings/test", test(&member.chat, member.rank)).await.ok();
    assert_eq!((&data["matches"], &data["current_rank"]), (&json!(true), &json!(member.rank)));
    let data = api.post("/bindings/test", test(&member.chat, 255)).await.ok();
    assert_eq!((&data["matches"], &data["current_rank"]), (&json!(false), &json!(member.rank)));
    // A user outside the group has rank 0.
    let gone = json!({ "group_id": guild.group, "play_id": member.play, "ranks": [] });
    deployment.simulator.change_member(gone).await;
    let data = api.post("/bindings/test", test(&member.chat, 0)).await.ok();
    assert_eq!((&data["matches"], &data["current_rank"]), (&json!(true), &json!(0)));
    // A user may hold several ranks; each of them matches.
    let several = json!({ "group_id": guild.group, "play_id": member.play, "ranks": [1, 200] });
    deployment.simulator.change_member(several).await;
    for rank in [1, 200] {
        assert_eq!(
            api.post("/bindings/test", test(&member.chat, rank)).await.ok()["matches"],
            true,
            "{rank}"
        );
    }
    api.post("/bindings/test", test("1999999999999999999", 1)).await.refused(404, &[]);
    assert_eq!(list(&api).await.len(), 4);
    assert_eq!(deployment.member_updates().await, 0);
}

async fn validate_names_the_invalid_field(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let check = async |group: i64, rank: i64, role: &str| {
        let body = json!({ "type": "group_rank", "group_id": group, "rank": rank, "role_id": role });
        api.post("/bindings/validate", body).await.ok()
    };
    let valid = check(guild.group, 1, &guild.roles[0]).await;
    assert_eq!(valid["valid"], true, "{valid}");
    for (group, rank, role, why) in [
        (424_242, 1, guild.roles[0].as_str(), "group"),
        (guild.group, 3, &guild.roles[0], "rank"),
        (guild.group, 1, "42", "role"),
        (guild.group, 1, &guild.high_role, "bot"),
        (guild.group, 1, &guild.bot_role, "managed"),
    ] {
        let data = check(group, rank, role).await;
        assert_eq!(data["valid"], false, "{group} {rank} {role}: {data}");
        assert!(data["reasons"].to_string().contains(why), "{why}: {data}");
    }
    assert_eq!(list(&api).await.len(), 4);
}
