//! Variants that HTTP allows in paths, methods, headers and encodings (docs/rules.md 1, 3 and 8).

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Method, Response};
use serde_json::json;

use testkit::{Deployment, both_modes, http_client, in_turn, key_text};

both_modes!(behind_a_trusted_proxy_failed_keys_are_counted_by_client(
    |setup| setup.env("GUILDHALL_TRUSTED_PROXIES", "127.0.0.0/8")
),);

in_turn!(
    a_path_may_have_the_prefix_and_a_final_slash,
    head_answers_as_get_without_a_body,
    every_value_of_a_repeated_header_is_checked,
    no_cache_keeps_an_answer_and_no_browser_guesses_its_type,
    a_huge_limit_is_cut_and_lists_link_their_next_page,
    large_answers_are_compressed_if_the_client_accepts_gzip(|setup| setup.members(200)),
    bodies_may_be_compressed,
    configured_origins_are_allowed_by_cors(
        |setup| setup.env("GUILDHALL_CORS_ORIGINS", "https://dash.example.org")
    ),
    empty_ids_and_zeros_of_the_studio_are_valid,
);

/// A client that sends the given headers and adds none.
struct Plain {
    http: Client,
    base: String,
    key: String,
}

impl Plain {
    fn of(deployment: &Deployment) -> Self {
        let base = deployment.api_base(0);
        Self { http: http_client(), base, key: deployment.guild().admin_key.clone() }
    }

    async fn send(&self, method: Method, path: &str, headers: &[(&'static str, &str)]) -> Response {
        let mut map = HeaderMap::new();
        map.insert("x-api-key", self.key.parse().unwrap());
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        self.http.request(method, format!("{}{path}", self.base)).headers(map).send().await.unwrap()
    }

    async fn status(&self, method: Method, path: &str, headers: &[(&'static str, &str)]) -> u16 {
        self.send(method, path, headers).await.status().as_u16()
    }
}

async fn bodies_may_be_compressed(deployment: &Deployment) {
    let plain = Plain::of(deployment);
    let packed = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let send = async |encoding: &str, body: Vec<u8>| {
        let request =
            plain.http.post(format!("{}/play/players/check", plain.base)).header("x-api-key", &plain.key);
        let request = request.header("content-type", "application/json").header("content-encoding", encoding);
        let answer = request.body(body).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let ids = json!({ "play_ids": [1, 2] }).to_string();
    let (status, answer) = send("gzip", packed(&ids)).await;
    assert!(status == 200 && answer.contains(r#""play_id":2"#), "{answer}");
    let long = json!({ "play_ids": [1], "ignored": "x".repeat(300_000) }).to_string();
    for (encoding, body, refused) in [
        ("gzip", ids.clone().into_bytes(), (400, "invalid_gzip")),
        ("gzip", packed(&long), (413, "body_too_large")),
        ("br", packed(&ids), (415, "unsupported_content_encoding")),
    ] {
        let (status, answer) = send(encoding, body).await;
        assert!(status == refused.0 && answer.contains(refused.1), "{status} {answer}");
    }
}

async fn a_path_may_have_the_prefix_and_a_final_slash(deployment: &Deployment) {
    let (plain, guild) = (Plain::of(deployment), &deployment.guild().id);
    let lookup = format!("/lookup/chat/{}", deployment.guild().members[0].chat);
    for path in [
        lookup.as_str(),
        "/bindings/list",
        &format!("/guilds/{guild}/members"),
        "/health/live",
        "/openapi.json",
    ] {
        for form in [path.to_owned(), format!("{path}/"), format!("/api/v1{path}"), format!("/api/v1{path}/")]
        {
            assert_eq!(plain.status(Method::GET, &form, &[]).await, 200, "{form}");
        }
        assert_eq!(plain.status(Method::GET, &format!("{path}//"), &[]).await, 404, "{path}//");
    }
    let answer = deployment.api().post("/reverse/", json!({ "play_ids": [1] })).await;
    assert_eq!(answer.status, 200, "{answer}");
    let written = format!("/api/v1/guilds/{guild}/audit-logs/");
    deployment.api().post(&written, json!({ "action": "a.b" })).await.ok();
}

async fn no_cache_keeps_an_answer_and_no_browser_guesses_its_type(deployment: &Deployment) {
    let (plain, guild) = (Plain::of(deployment), &deployment.guild().id);
    let bans = format!("/moderation/{guild}/play/bans/active");
    for (path, status) in
        [(bans.as_str(), 200), ("/lookup/chat/1", 404), ("/nowhere", 404), ("/lookup/x/y/z", 404)]
    {
        let answer = plain.send(Method::GET, path, &[("accept-encoding", "gzip")]).await;
        let header = |name: &str| {
            let values = answer.headers().get_all(name).iter().map(|value| value.to_str().unwrap());
            values.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(answer.status(), status, "{path}");
        assert_eq!(
            (header("cache-control"), header("x-content-type-options")),
            ("no-store".into(), "nosniff".into())
        );
        assert!(header("vary").contains("x-api-key") && header("vary").contains("authorization"), "{path}");
    }
}

async fn head_answers_as_get_without_a_body(deployment: &Deployment) {
    let (plain, guild) = (Plain::of(deployment), &deployment.guild().id);
    let members = format!("/guilds/{guild}/members?limit=2");
    for path in
        [members.as_str(), "/lookup/chat/1", "/bindings/list", "/health/ready", "/openapi.json", "/docs"]
    {
        let get = plain.send(Method::GET, path, &[]).await;
        let head = plain.send(Method::HEAD, path, &[]).await;
        assert_eq!(head.status(), get.status(), "{path}");
        for name in ["content-type", "content-length", "x-ratelimit-limit", "link", "etag"] {
            assert_eq!(head.headers().get(name), get.headers().get(name), "{path}: {name}");
        }
        let announced: usize = head.headers()["content-length"].to_str().unwrap().parse().unwrap();
        assert_eq!(get.bytes().await.unwrap().len(), announced, "{path}");
        assert!(head.bytes().await.unwrap().is_empty(), "{path}");
    }
    // HEAD is counted under the limit of its GET; a path without GET has no HEAD.
    let before = deployment.api().get("/bindings/list").await.number("x-ratelimit-remaining");
    plain.send(Method::HEAD, "/bindings/list", &[]).await;
    assert_eq!(deployment.api().get("/bindings/list").await.number("x-ratelimit-remaining"), before - 2);
    let refused = plain.send(Method::HEAD, "/bindings/add", &[]).await;
    assert_eq!((refused.status().as_u16(), refused.headers()["allow"].to_str().unwrap()), (405, "POST"));
    // Only GET upgrades a connection.
    let socket = format!("/ws/guilds/{guild}/play?placeId=71&serverId=s1&universeId=72");
    let upgrade = [
        ("connection", "Upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    assert_eq!(plain.status(Method::HEAD, &socket, &upgrade).await, 426);
}

async fn every_value_of_a_repeated_header_is_checked(deployment: &Deployment) {
    let (plain, own, other) = (Plain::of(deployment), &deployment.guild().id, &deployment.other_guild().id);
    let guild = "x-guild-id";
    let path = "/bindings/list";
    for (headers, status) in [
        (vec![(guild, own.as_str()), (guild, own)], 200),
        (vec![(guild, own.as_str()), (guild, other)], 403),
        (vec![(guild, other.as_str()), (guild, own)], 403),
        (vec![("x-api-key", plain.key.as_str())], 200),
        (vec![("x-api-key", deployment.guild().game_key.as_str())], 401),
    ] {
        assert_eq!(plain.status(Method::GET, path, &headers).await, status, "{headers:?}");
    }
    let path = format!("/guilds/{own}/audit-logs");
    let keys = [("idempotency-key", "one"), ("idempotency-key", "two")];
    assert_eq!(plain.status(Method::POST, &path, &keys).await, 400);
    let ids = [("x-request-id", "one"), ("x-request-id", "two")];
    let answer = plain.send(Method::GET, &path, &ids).await;
    assert_eq!(answer.headers()["x-request-id"].len(), 32);
}

async fn a_huge_limit_is_cut_and_lists_link_their_next_page(deployment: &Deployment) {
    let (api, path) = (deployment.api(), format!("/guilds/{}/audit-logs", deployment.guild().id));
    for n in 0..5 {
        api.post(&path, json!({ "action": "a.b", "metadata": { "n": n } })).await.ok();
    }
    for huge in ["101", "18446744073709551616", &"9".repeat(100)] {
        let answer = api.get(&format!("{path}?limit={huge}")).await;
        assert_eq!(answer.header("link"), None, "{answer}");
        assert!(answer.ok()["entries"].as_array().unwrap().len() >= 5);
    }
    for bad in ["1.5", "1e3", "x", "-99999999999999999999", "0"] {
        api.get(&format!("{path}?limit={bad}")).await.refused(400, &["limit"]);
    }
    let first = api.get(&format!("/api/v1{path}?action=a.b&limit=2")).await;
    let link = first.header("link").unwrap().to_owned();
    let next = link.strip_prefix('<').unwrap().strip_suffix(">; rel=\"next\"").unwrap();
    let second = api.get(next).await;
    assert_eq!(second.body["data"]["entries"][0]["metadata"]["n"], 2, "{link}: {second}");
    let cursor = first.body["data"]["next_cursor"].to_string();
    assert_eq!(next, format!("/api/v1{path}?action=a.b&limit=2&cursor={cursor}"));
    let next = second.header("link").unwrap().split(['<', '>']).nth(1).unwrap().to_owned();
    assert_eq!(api.get(&next).await.header("link"), None);
}

async fn large_answers_are_compressed_if_the_client_accepts_gzip(deployment: &Deployment) {
    let (plain, path) = (Plain::of(deployment), format!("/guilds/{}/members", deployment.guild().id));
    let whole = plain.send(Method::GET, &path, &[]).await;
    assert_eq!(whole.headers().get("content-encoding"), None);
    assert!(whole.headers().get_all("vary").iter().any(|value| value == "accept-encoding"));
    let whole = whole.bytes().await.unwrap();
    let asked = [("accept-encoding", "br, gzip")];
    let small = plain.send(Method::GET, &path, &asked).await;
    assert_eq!(small.headers()["content-encoding"], "gzip");
    let small = small.bytes().await.unwrap();
    assert!(
        small.starts_with(&[0x1f, 0x8b]) && small.len() * 2 < whole.len(),
        "{} of {}",
        small.len(),
        whole.len()
    );
    let head = plain.send(Method::HEAD, &path, &asked).await;
    assert_eq!(head.headers()["content-length"].to_str().unwrap(), small.len().to_string());
}

async fn configured_origins_are_allowed_by_cors(deployment: &Deployment) {
    let plain = Plain::of(deployment);
    let (known, stranger) = (("origin", "https://dash.example.org"), ("origin", "https://other.example.org"));
    let answer = plain.send(Method::GET, "/bindings/list", &[known]).await;
    assert_eq!(answer.headers()["access-control-allow-origin"], "https://dash.example.org");
    let exposed = answer.headers()["access-control-expose-headers"].to_str().unwrap();
    assert!(exposed.contains("retry-after") && exposed.contains("x-ratelimit-remaining"), "{exposed}");
    let answer = plain.send(Method::GET, "/bindings/list", &[stranger]).await;
    assert_eq!(answer.headers().get("access-control-allow-origin"), None);
    assert!(answer.headers().get_all("vary").iter().any(|value| value == "origin"));

    let question = [known, ("access-control-request-method", "PATCH")];
    let answer = plain.send(Method::OPTIONS, "/bindings/update", &question).await;
    assert_eq!(answer.status(), 204);
    assert!(answer.headers()["access-control-allow-methods"].to_str().unwrap().contains("PATCH"));
    assert!(answer.headers()["access-control-allow-headers"].to_str().unwrap().contains("x-api-key"));
    let question = [stranger, ("access-control-request-method", "PATCH")];
    assert_eq!(plain.status(Method::OPTIONS, "/bindings/update", &question).await, 405);
}

async fn behind_a_trusted_proxy_failed_keys_are_counted_by_client(deployment: &Deployment) {
    let plain = Plain { key: "nonsense".to_owned(), ..Plain::of(deployment) };
    let ask = async |client: &str| {
        plain.status(Method::GET, "/bindings/list", &[("x-forwarded-for", client)]).await
    };
    for n in 0..30 {
        // Addresses before the last untrusted one are the client's own claim.
        assert_eq!(ask(&format!("203.0.113.{n}, 198.51.100.1, 127.0.0.9")).await, 401);
    }
    assert_eq!(ask("198.51.100.1").await, 429);
    assert_eq!(ask("198.51.100.2").await, 401);
    // Repeated well-formed guesses: one line of the log for each minute of the address, which names the key.
    let guess = key_text(9, "never issued");
    let plain = Plain { key: guess.clone(), ..Plain::of(deployment) };
    for _ in 0..100 {
        plain.status(Method::GET, "/bindings/list", &[("x-forwarded-for", "198.51.100.3")]).await;
    }
    let log = deployment.roles().apis[0].process.log();
    let lines: Vec<_> = log.lines().filter(|line| line.contains("too many wrong keys")).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let told = lines.iter().find(|line| line.contains("198.51.100.3")).unwrap();
    assert!(told.contains(&guess[3..11]) && !log.contains(&guess[12..]), "{told}");
}

async fn empty_ids_and_zeros_of_the_studio_are_valid(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let alive = json!({ "server_id": "", "place_id": 0, "universe_id": 0, "player_count": 1 });
    api.post("/play/servers/heartbeat", alive).await.ok();
    let commands = "/play/servers//commands";
    let kick = json!({ "type": "kick", "target_id": 7, "reason": "r" });
    let plain = Plain::of(deployment);
    let queued = plain.http.post(format!("{}{commands}", plain.base)).header("x-api-key", &plain.key);
    assert_eq!(queued.json(&kick).send().await.unwrap().status(), 200);
    let polled = plain.send(Method::GET, commands, &[]).await.json::<serde_json::Value>().await.unwrap();
    assert_eq!(polled["data"]["commands"][0]["type"], "kick", "{polled}");
    let servers = api.get(&format!("/guilds/{}/servers?limit=1", guild.id)).await.ok();
    let server = &servers["servers"][0];
    assert_eq!((&server["server_id"], &server["place_id"]), (&json!(""), &json!(0)));
    // The empty id is a valid cursor.
    let more = json!({ "server_id": "b", "place_id": 1, "universe_id": 1, "player_count": 1 });
    api.post("/play/servers/heartbeat", more).await.ok();
    let second = api.get(&format!("/guilds/{}/servers?limit=1&cursor=", guild.id)).await.ok();
    assert_eq!(second["servers"][0]["server_id"], "b");

    let staff = json!({ "play_id": guild.members[1].play, "place_id": 0.0, "server_id": "" });
    api.post("/staff/play/session/start", staff).await.ok();
    let socket = format!("/ws/guilds/{}/play?placeId=0&serverId=&universeId=0", guild.id);
    let upgrade = [
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ];
    assert_eq!(plain.status(Method::GET, &socket, &upgrade).await, 101);
    let missing = format!("/ws/guilds/{}/play?placeId=0&universeId=0", guild.id);
    assert_eq!(plain.status(Method::GET, &missing, &upgrade).await, 400);
}
