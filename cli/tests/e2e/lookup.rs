//! `/lookup/...` and `/reverse` (docs/rules.md 8).

use serde_json::json;

use testkit::{Deployment, both_modes};

both_modes!(single_lookups_answer_the_link, a_batch_answers_each_id, unknown_and_foreign_ids_are_not_found);

async fn single_lookups_answer_the_link(deployment: &Deployment) {
    let (guild, member) = (deployment.guild(), &deployment.guild().members[3]);
    let api = deployment.api().header("x-guild-id", &guild.id);
    let link = json!({
        "chat_id": member.chat, "play_id": member.play, "play_username": member.name,
        "verified_at": "2026-04-12T18:33:21Z",
    });
    assert_eq!(api.get(&format!("/lookup/chat/{}", member.chat)).await.ok(), link);
    assert_eq!(api.get(&format!("/lookup/play/{}", member.play)).await.ok(), link);
    assert_eq!(api.get(&format!("/api/v1/lookup/play/{}", member.play)).await.ok(), link);
    // Without the header the key's guild is used.
    assert_eq!(deployment.api().get(&format!("/lookup/chat/{}", member.chat)).await.ok(), link);
}

async fn a_batch_answers_each_id(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api());
    let (first, second) = (&guild.members[0], &guild.members[1]);
    let unknown = "1999999999999999999";
    let body = json!({ "guild_id": guild.id, "chat_ids": [second.chat, unknown, first.chat] });
    let results = api.post("/lookup/status", body).await.ok()["results"].clone();
    let expected = json!([
        { "chat_id": second.chat, "verified": true, "play_id": second.play },
        { "chat_id": unknown, "verified": false },
        { "chat_id": first.chat, "verified": true, "play_id": first.play },
    ]);
    assert_eq!(results, expected);

    // Game scripts mix integers and digit strings.
    let body = json!({ "guild_id": guild.id, "play_ids": [first.play, second.play.to_string(), 1] });
    let results = api.post("/lookup/status", body.clone()).await.ok()["results"].clone();
    let expected = json!([
        { "requested": first.play, "verified": true, "play_id": first.play, "chat_id": first.chat },
        { "requested": second.play, "verified": true, "play_id": second.play, "chat_id": second.chat },
        { "requested": 1, "verified": false, "chat_id": null },
    ]);
    assert_eq!(results, expected);

    let results = api.post("/reverse", body).await.ok()["results"].clone();
    let record = |member: &testkit::Member| json!({ "play_id": member.play, "chat_id": member.chat, "play_username": member.name });
    assert_eq!(results, json!([record(first), record(second)]));

    // An empty list beside a filled one is what a script without entries sends.
    let status = async |body: serde_json::Value| api.post("/lookup/status", body).await;
    let plays = status(json!({ "chat_ids": [], "play_ids": [1] })).await.ok()["results"].clone();
    assert_eq!(plays, json!([{ "requested": 1, "verified": false, "chat_id": null }]));
    let chats = status(json!({ "chat_ids": [first.chat], "play_ids": [] })).await.ok()["results"].clone();
    assert_eq!(chats[0]["play_id"], first.play);
    assert_eq!(status(json!({ "chat_ids": [], "play_ids": [] })).await.ok()["results"], json!([]));
    status(json!({ "chat_ids": [first.chat], "play_ids": [1] }))
        .await
        .refused(400, &["chat_ids", "play_ids"]);
    status(json!({ "play_ids": [1, 9_007_199_254_740_993_i64] }))
        .await
        .refused(400, &["play_ids[1]", "string"]);

    // The longest allowed list.
    let ids: Vec<i64> = (1..=200).collect();
    let answer = api.post("/reverse", json!({ "play_ids": ids })).await.ok();
    assert_eq!(answer["results"], json!([]));
}

async fn unknown_and_foreign_ids_are_not_found(deployment: &Deployment) {
    let (api, foreign) = (deployment.api(), &deployment.other_guild().members[0]);
    let unknown = api.get("/lookup/chat/1999999999999999999").await.refused(404, &[]);
    let of_others = api.get(&format!("/lookup/chat/{}", foreign.chat)).await.refused(404, &[]);
    assert_eq!(unknown.without_request_id(), of_others.without_request_id());
    let unknown = api.get("/lookup/play/1").await.refused(404, &[]);
    let of_others = api.get(&format!("/lookup/play/{}", foreign.play)).await.refused(404, &[]);
    assert_eq!(unknown.without_request_id(), of_others.without_request_id());
    let body = json!({ "chat_ids": [foreign.chat] });
    let result = api.post("/lookup/status", body).await.ok()["results"][0].clone();
    assert_eq!(result, json!({ "chat_id": foreign.chat, "verified": false }));
    assert_eq!(api.post("/reverse", json!({ "play_ids": [foreign.play] })).await.ok()["results"], json!([]));
    // The account is found in the guild in which it is linked.
    let there =
        api.key(&deployment.other_guild().game_key).get(&format!("/lookup/chat/{}", foreign.chat)).await;
    assert_eq!(there.ok()["play_id"], foreign.play);
}
