//! The active lists with `ETag` and `since`, and the history of bans.

use serde_json::{Value, json};

use super::{Moderating, STRANGER, STRANGER_CHAT};
use testkit::{Deployment, both_modes, http_client};

both_modes!(
    the_active_list_names_players_by_their_game_id,
    a_list_has_the_bans_in_force_at_its_place,
    an_unchanged_list_is_answered_304,
    following_the_revision_gives_the_whole_list,
    following_the_revision_of_one_place_gives_its_list,
    a_ban_answers_the_revision_that_the_list_has,
    the_history_pages_and_filters,
    the_history_of_mutes_is_like_that_of_bans,
);

async fn the_active_list_names_players_by_their_game_id(deployment: &Deployment) {
    let member = &deployment.guild().members[13];
    deployment.ban(&member.chat, json!({ "duration_seconds": 900 })).await;
    deployment.ban(STRANGER, json!({ "place_id": 4 })).await;
    deployment.ban(STRANGER_CHAT, json!({})).await;
    let data = deployment.api().get(&deployment.moderation("play/bans/active?scope=all")).await.ok();
    let bans = data["bans"].as_array().unwrap();
    let named: Vec<_> = bans.iter().map(|ban| ban["identifier"].as_str().unwrap()).collect();
    assert_eq!(named, [member.play.to_string().as_str(), STRANGER, STRANGER_CHAT]);
    for ban in bans {
        assert!(ban["id"].is_i64() && ban["reason"].is_string(), "{ban}");
    }
    assert!(bans[0]["expires_at"].is_string());
    assert_eq!((&bans[1]["expires_at"], &bans[1]["place_id"]), (&Value::Null, &json!(4)));
    assert_eq!(data["complete"], true);
    let other = deployment.other_guild();
    let path = format!("/moderation/{}/play/bans/active", other.id);
    assert_eq!(deployment.api().key(&other.admin_key).get(&path).await.ok()["bans"], json!([]));
}

/// The first guild's active list for this query, as `(identifier, place)`.
async fn listed(deployment: &Deployment, list: &str, query: &str) -> Vec<(String, Option<i64>)> {
    let data =
        deployment.api().get(&deployment.moderation(&format!("play/{list}/active?{query}"))).await.ok();
    let rows = data[list].as_array().unwrap().iter();
    rows.map(|row| (row["identifier"].as_str().unwrap().to_owned(), row["place_id"].as_i64())).collect()
}

async fn a_list_has_the_bans_in_force_at_its_place(deployment: &Deployment) {
    for (list, verb) in [("bans", "ban"), ("mutes", "mute")] {
        for (identifier, place) in
            [("700", json!(null)), ("704", json!(4)), ("705", json!(5)), ("700", json!(5))]
        {
            deployment.sanction(verb, identifier, json!({ "place_id": place })).await.ok();
        }
        let row = |identifier: &str, place| (identifier.to_owned(), place);
        let (everywhere, four, five) = (row("700", None), row("704", Some(4)), row("705", Some(5)));
        assert_eq!(listed(deployment, list, "").await, std::slice::from_ref(&everywhere));
        assert_eq!(listed(deployment, list, "place_id=4").await, [everywhere.clone(), four.clone()]);
        assert_eq!(listed(deployment, list, "place_id=9").await, std::slice::from_ref(&everywhere));
        let all = [everywhere, four, five, row("700", Some(5))];
        assert_eq!(listed(deployment, list, "scope=all").await, all);
        assert_eq!(
            listed(deployment, list, "place_id=5").await,
            [&all[2], &all[3]].map(Clone::clone),
            "each person once, with what ends last"
        );
        let path = deployment.moderation(&format!("play/{list}/active"));
        for (query, field) in [
            ("place_id=x", "`place_id`"),
            ("place_id=-1", "`place_id`"),
            ("scope=some", "`scope`"),
            ("scope=all&place_id=4", "`place_id`"),
        ] {
            deployment.api().get(&format!("{path}?{query}")).await.refused(400, &[field]);
        }
    }
}

async fn an_unchanged_list_is_answered_304(deployment: &Deployment) {
    let base = deployment.api_base(0);
    for (list, verb) in [("bans", "ban"), ("mutes", "mute")] {
        deployment.sanction(verb, STRANGER, json!({})).await.ok();
        let path = deployment.moderation(&format!("play/{list}/active"));
        let first = deployment.api().get(&path).await;
        let tag = first.header("etag").unwrap().to_owned();
        let ask = async |tag: &str| {
            let request = http_client().get(format!("{base}{path}")).header("if-none-match", tag);
            request.header("x-api-key", &deployment.guild().admin_key).send().await.unwrap()
        };
        let same = ask(&format!("\"other\", W/{tag}")).await;
        assert_eq!(same.status(), 304);
        assert_eq!(same.headers()["etag"], tag.as_str());
        assert!(same.headers().contains_key("x-ratelimit-remaining"));
        assert!(same.bytes().await.unwrap().is_empty());
        // The list of a place has a tag of its own, even with the same content.
        let of_place = deployment.api().get(&format!("{path}?place_id=4")).await;
        assert_ne!(of_place.header("etag"), Some(tag.as_str()));
        // So is a list of changes that are known.
        let since = first.ok()["revision"].clone();
        let changes = format!("{path}?since={since}");
        let none = deployment.api().get(&changes).await.header("etag").unwrap().to_owned();
        assert_ne!(none, tag);
        let ask_changes = async |tag: &str| {
            let request = http_client().get(format!("{base}{changes}")).header("if-none-match", tag);
            request.header("x-api-key", &deployment.guild().admin_key).send().await.unwrap()
        };
        assert_eq!(ask_changes(&none).await.status(), 304);
        deployment.sanction(verb, STRANGER_CHAT, json!({})).await.ok();
        let news = ask_changes(&none).await;
        assert_eq!(
            (news.status(), news.headers()["etag"] == none.as_str()),
            (reqwest::StatusCode::OK, false)
        );
        let changed = ask(&tag).await;
        assert_eq!(changed.status(), 200);
        assert_ne!(changed.headers()["etag"], tag.as_str());
    }
}

async fn following_the_revision_gives_the_whole_list(deployment: &Deployment) {
    let path = deployment.moderation("play/bans/active");
    let mut cache: std::collections::BTreeMap<i64, Value> = std::collections::BTreeMap::new();
    let mut revision = 0;
    for step in 0..6 {
        match step {
            0 => drop(deployment.ban("601", json!({})).await),
            1 => drop(deployment.ban("602", json!({})).await),
            2 => drop(deployment.ban("601", json!({ "duration_seconds": 60 })).await),
            3 => drop(deployment.unban("602", json!({})).await.ok()),
            4 => drop(deployment.sanction("mute", "603", json!({})).await.ok()),
            _ => {}
        }
        let data = deployment.api().get(&format!("{path}?since={revision}")).await.ok();
        if data["complete"] == true {
            cache.clear();
        }
        for lifted in data["lifted"].as_array().unwrap() {
            cache.remove(&lifted.as_i64().unwrap());
        }
        for ban in data["bans"].as_array().unwrap() {
            cache.insert(ban["id"].as_i64().unwrap(), ban.clone());
        }
        assert_eq!(data["complete"] == true, revision == 0, "{data}");
        assert!(step < 4 || data["bans"] == json!([]), "no ban changed: {data}");
        revision = data["revision"].as_i64().unwrap();
        let whole = deployment.api().get(&path).await.ok();
        assert_eq!(whole["bans"], Value::Array(cache.values().cloned().collect()), "step {step}");
    }
    // A revision above the guild's, as after a change of the database: the whole list.
    let data = deployment.api().get(&format!("{path}?since=99999")).await.ok();
    assert_eq!((&data["complete"], data["bans"].as_array().unwrap().len()), (&json!(true), 1));
    deployment.api().get(&format!("{path}?since=-1")).await.refused(400, &["since"]);
    deployment.api().get(&format!("{path}?since=x")).await.refused(400, &["since"]);
}

/// Three clients, each of which asks for what changed with the parameters of its list, while bans of several places and
/// of every game come and go.
async fn following_the_revision_of_one_place_gives_its_list(deployment: &Deployment) {
    let queries = ["", "place_id=4", "scope=all"];
    let mut clients = queries.map(|_| (0, std::collections::BTreeMap::<i64, Value>::new()));
    for step in 0..8 {
        match step {
            0 => drop(deployment.ban("601", json!({ "place_id": 4 })).await),
            1 => drop(deployment.ban("602", json!({ "place_id": 5 })).await),
            2 => drop(deployment.ban("603", json!({})).await),
            3 => drop(deployment.ban("602", json!({ "place_id": 5, "duration_seconds": 600 })).await),
            4 => drop(deployment.unban("602", json!({})).await.ok()),
            5 => drop(deployment.ban("601", json!({})).await),
            6 => drop(deployment.unban("601", json!({ "place_id": 4 })).await.ok()),
            _ => drop(deployment.unban("603", json!({})).await.ok()),
        }
        for (query, (revision, cache)) in queries.iter().zip(&mut clients) {
            let path = deployment.moderation(&format!("play/bans/active?{query}"));
            let data = deployment.api().get(&format!("{path}&since={revision}")).await.ok();
            if data["complete"] == true {
                cache.clear();
            }
            for lifted in data["lifted"].as_array().unwrap() {
                cache.remove(&lifted.as_i64().unwrap());
            }
            for ban in data["bans"].as_array().unwrap() {
                let counts = ban["place_id"].is_null() || *query == "scope=all" || ban["place_id"] == 4;
                assert!(counts && !query.is_empty() || ban["place_id"].is_null(), "{query}: {ban}");
                cache.insert(ban["id"].as_i64().unwrap(), ban.clone());
            }
            *revision = data["revision"].as_i64().unwrap();
            let whole = deployment.api().get(&path).await.ok();
            let cached = Value::Array(cache.values().cloned().collect());
            assert_eq!(whole["bans"], cached, "step {step}, {query}");
        }
    }
}

/// With the epoch, which is not 0 on a server.
async fn a_ban_answers_the_revision_that_the_list_has(deployment: &Deployment) {
    for (list, verb) in [("bans", "ban"), ("mutes", "mute")] {
        let path = deployment.moderation(&format!("play/{list}/active"));
        let revision = deployment.sanction(verb, STRANGER, json!({})).await.ok()["revision"].clone();
        assert_eq!(deployment.api().get(&path).await.ok()["revision"], revision, "{list}");
        let news = deployment.api().get(&format!("{path}?since={revision}")).await.ok();
        assert_eq!((&news["complete"], &news[list]), (&json!(false), &json!([])), "{news}");
    }
}

async fn the_history_pages_and_filters(deployment: &Deployment) {
    let member = &deployment.guild().members[14];
    let first = deployment.ban(&member.chat, json!({})).await;
    let second = deployment.ban(&member.play.to_string(), json!({ "place_id": 8 })).await;
    let third = deployment.ban(STRANGER, json!({})).await;
    deployment.unban(&member.chat, json!({ "place_id": 8, "reason": "appeal" })).await.ok();
    let other = &deployment.guild().members[1].chat;
    let fourth = deployment.ban(STRANGER, json!({ "moderator_id": other })).await;
    let ids = |bans: Vec<Value>| bans.iter().map(|ban| ban["id"].as_i64().unwrap()).collect::<Vec<_>>();
    assert_eq!(ids(deployment.ban_history("").await), [fourth, third, second, first]);
    assert_eq!(ids(deployment.ban_history("active=true").await), [fourth, first]);
    assert_eq!(ids(deployment.ban_history("active=false").await), [third, second]);
    assert_eq!(ids(deployment.ban_history(&format!("identifier={}", member.play)).await), [second, first]);
    assert_eq!(ids(deployment.ban_history(&format!("moderator_id={other}")).await), [fourth]);
    assert_eq!(ids(deployment.ban_history("place_id=8").await), [second]);
    let page = deployment.api().get(&deployment.moderation("bans?limit=3")).await.ok();
    assert_eq!(page["next_cursor"], second);
    assert_eq!(ids(deployment.ban_history(&format!("limit=3&cursor={second}")).await), [first]);
    let lifted = &deployment.ban_history("place_id=8").await[0];
    assert_eq!((&lifted["lifted_how"], &lifted["active"]), (&json!("lifted"), &json!(false)));
    assert_eq!(lifted["lifted_by"], deployment.moderator());
    assert!(lifted["lifted_at"].is_string(), "{lifted}");
    for (query, field) in [("active=1", "active"), ("limit=0", "limit"), ("identifier=x", "identifier")] {
        deployment.api().get(&deployment.moderation(&format!("bans?{query}"))).await.refused(400, &[field]);
        deployment.api().get(&deployment.moderation(&format!("mutes?{query}"))).await.refused(400, &[field]);
    }
}

async fn the_history_of_mutes_is_like_that_of_bans(deployment: &Deployment) {
    let member = &deployment.guild().members[14];
    let mute = async |identifier: &str| {
        deployment.sanction("mute", identifier, json!({ "duration_seconds": 600 })).await.ok()["id"].clone()
    };
    let (first, second) = (mute(&member.chat).await, mute(STRANGER).await);
    deployment.ban(STRANGER, json!({})).await;
    deployment.sanction("unmute", &member.chat, json!({})).await.ok();
    let listed = async |query: &str| {
        deployment.api().get(&deployment.moderation(&format!("mutes?{query}"))).await.ok()
    };
    let ids = |data: &Value| -> Vec<Value> {
        data["mutes"].as_array().unwrap().iter().map(|mute| mute["id"].clone()).collect()
    };
    let all = listed("").await;
    assert_eq!((ids(&all), &all["next_cursor"]), (vec![second.clone(), first.clone()], &Value::Null));
    let lifted = &all["mutes"][1];
    assert_eq!((&lifted["lifted_how"], &lifted["active"]), (&json!("lifted"), &json!(false)));
    assert_eq!(lifted["identifier"], member.chat.as_str());
    assert_eq!(ids(&listed("active=true").await), std::slice::from_ref(&second));
    assert_eq!(ids(&listed(&format!("identifier={}", member.play)).await), std::slice::from_ref(&first));
    let page = listed("limit=1").await;
    assert_eq!((ids(&page), &page["next_cursor"]), (vec![second], &page["mutes"][0]["id"]));
    assert_eq!(ids(&listed(&format!("limit=1&cursor={}", page["next_cursor"])).await), [first]);
}
