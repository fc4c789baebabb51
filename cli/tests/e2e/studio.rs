//! A game in the studio: place and universe are 0, and test players have ids below zero (docs/rules.md 2 and 7).

use serde_json::{Value, json};

use testkit::{Deployment, both_modes};

both_modes!(
    the_place_0_is_one_like_any_other,
    nothing_is_known_of_test_players,
    nothing_is_written_of_test_players
);

async fn the_place_0_is_one_like_any_other(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), &deployment.guild().id);
    let game = json!({ "place_id": 0, "universe_id": 0, "name": "Unpublished" });
    assert_eq!(api.post("/play/games/register", game.clone()).await.ok()["already_registered"], false);
    assert_eq!(api.post("/play/games/register", game).await.ok()["already_registered"], true);
    let beat = json!({ "server_id": "", "place_id": 0, "universe_id": 0, "player_count": 1 });
    api.post("/play/servers/heartbeat", beat).await.ok();
    let servers = api.get(&format!("/guilds/{guild}/servers?place_id=0")).await.ok()["servers"].clone();
    assert_eq!((&servers[0]["place_id"], &servers[0]["universe_id"]), (&json!(0), &json!(0)));
    // A command for all servers is not for the studio's.
    let other = json!({ "server_id": "unpublished", "place_id": 0, "universe_id": 0, "player_count": 1 });
    api.post("/play/servers/heartbeat", other).await.ok();
    let kick = json!({ "type": "kick", "target_id": "5", "place_id": 0 });
    assert_eq!(api.post(&format!("/guilds/{guild}/servers/commands"), kick).await.ok()["queued"], 1);
    for (verb, done, list) in [("ban", "banned", "bans"), ("mute", "muted", "mutes")] {
        for place in [json!(0), json!("0"), json!(null)] {
            let moderator = &deployment.guild().members[0].chat;
            let whom = if place.is_null() { "556" } else { "555" };
            let order =
                json!({ "identifier": whom, "reason": "r", "moderator_id": moderator, "place_id": place });
            api.post(&format!("/moderation/{guild}/play/{verb}"), order).await.ok();
        }
        let status =
            async |query: &str| api.get(&format!("/moderation/{guild}/{verb}-status/555{query}")).await.ok();
        let here = status("?place_id=0").await;
        assert_eq!((&here[done], &here[format!("{verb}_info")]["place_id"]), (&json!(true), &json!(0)));
        assert_eq!(
            (&status("").await[done], &status("?place_id=7").await[done]),
            (&json!(true), &json!(false))
        );
        let listed = async |query: &str| {
            let list =
                api.get(&format!("/moderation/{guild}/play/{list}/active{query}")).await.ok()[list].clone();
            list.as_array().unwrap().iter().map(|row| row["place_id"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(listed("?place_id=0").await, [json!(0), Value::Null]);
        assert_eq!(listed("?place_id=7").await, [Value::Null]);
        let lift = json!({ "identifier": "555", "moderator_id": "0", "place_id": 0 });
        let lifted = api.post(&format!("/moderation/{guild}/play/un{verb}"), lift).await.ok();
        assert_eq!(lifted["lifted"].as_array().unwrap().len(), 1, "one for this place");
    }
}

async fn nothing_is_known_of_test_players(deployment: &Deployment) {
    let (api, guild, member) = (deployment.api(), &deployment.guild().id, &deployment.guild().members[0]);
    for (check, done) in [("ban-status", "banned"), ("mute-status", "muted")] {
        let status = api.get(&format!("/moderation/{guild}/{check}/-1?place_id=0")).await.ok();
        assert_eq!(status, json!({ done: false }));
    }
    let nobody = json!({ "is_staff": false, "chat_id": null, "role_name": null, "permissions": [] });
    for sent in [json!(-1), json!("-1"), json!(-1.0)] {
        assert_eq!(api.post("/staff/play/verify", json!({ "play_id": sent })).await.ok(), nobody);
    }
    let permissions = api.get(&format!("/guilds/{guild}/staff/play/-2/permissions")).await.ok();
    assert_eq!((&permissions["play_id"], &permissions["is_staff"]), (&json!(-2), &json!(false)));
    assert_eq!(api.get("/shield/check/-1").await.ok(), json!({ "flagged": false }));
    let body = json!({ "play_ids": [-1, member.play, "-2"] });
    assert_eq!(api.post("/shield/batch", body.clone()).await.ok()["flagged"], json!([]));
    let results = api.post("/reverse", body.clone()).await.ok()["results"].clone();
    assert_eq!(results.as_array().unwrap().len(), 1, "{results}");
    let expected = json!([
        { "requested": -1, "verified": false, "chat_id": null },
        { "requested": member.play, "verified": true, "play_id": member.play, "chat_id": member.chat },
        { "requested": -2, "verified": false, "chat_id": null },
    ]);
    assert_eq!(api.post("/lookup/status", body).await.ok()["results"], expected);
    api.get("/lookup/play/-1").await.refused(404, &[]);
    assert_eq!(api.get(&format!("/moderation/{guild}/bans?identifier=-1")).await.ok()["bans"], json!([]));
    for bad in ["0", "-0", "-01", "--1", "-x"] {
        api.get(&format!("/shield/check/{bad}")).await.refused(400, &["playId"]);
    }
}

async fn nothing_is_written_of_test_players(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), &deployment.guild().id);
    for verb in ["ban", "mute", "unban", "unmute"] {
        for sent in [json!(-1), json!("-1")] {
            let order = json!({ "identifier": sent, "reason": "r", "moderator_id": "0" });
            api.post(&format!("/moderation/{guild}/play/{verb}"), order).await.refused(400, &["identifier"]);
        }
    }
    let session = json!({ "play_id": -1, "place_id": 0, "server_id": "" });
    api.post("/staff/play/session/start", session).await.refused(400, &["play_id"]);
    assert_eq!(deployment.audit("moderation.ban").await, Vec::<Value>::new());
}
