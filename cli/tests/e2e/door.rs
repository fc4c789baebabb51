//! Bytes that never become a request of a route: refused before any of our code sees them, in the usual envelope.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use serde_json::Value;
use testkit::{Deployment, both_modes, http_client};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;

both_modes!(
    what_is_no_request_is_refused_in_the_envelope,
    a_refused_request_ends_no_connection,
    a_refusal_takes_its_time,
    a_visitor_learns_what_this_is,
    a_connection_that_begins_with_a_live_socket_is_like_others,
    a_request_may_come_in_pieces,
    what_a_client_chooses_makes_no_series_and_no_memory(own),
);

/// A client that sends arbitrary bytes.
struct Client(BufStream<TcpStream>);

impl Client {
    async fn connect(deployment: &Deployment) -> Self {
        let address = deployment.api_base(0).replace("http://", "");
        Self(BufStream::new(TcpStream::connect(address).await.unwrap()))
    }

    async fn head(&mut self) -> Vec<String> {
        let (mut head, mut line) = (Vec::new(), String::new());
        while line != "\r\n" {
            line.clear();
            assert!(self.0.read_line(&mut line).await.unwrap() > 0, "closed without an answer: {head:?}");
            head.push(line.to_ascii_lowercase());
        }
        head
    }

    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
        self.0.flush().await.unwrap();
    }

    async fn say(&mut self, text: &str) -> (u16, Value) {
        self.send(text).await;
        let head = self.head().await;
        let value = |name: &str| {
            let found = head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found.unwrap_or_else(|| panic!("no {name} in {head:?}")).trim().to_owned()
        };
        let mut body = vec![0; value("content-length").parse().unwrap()];
        self.0.read_exact(&mut body).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        if body["status"] == "error" {
            assert_eq!(body["request_id"], value("x-request-id"), "{head:?}");
        }
        (head[0].split(' ').nth(1).unwrap().parse().unwrap(), body)
    }
}

async fn what_is_no_request_is_refused_in_the_envelope(deployment: &Deployment) {
    let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X-Again: x\r\n".repeat(150));
    for (bytes, status, word) in [
        ("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400, "bad_request"),
        ("GET a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400, "bad_request"),
        ("GET /health/live HTTP/1.1\r\n\r\n", 400, "bad_request"),
        ("GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "bad_request"),
        ("GET /health/live HTTP/1.1\nHost: a\n\n", 400, "bad_request"),
        ("GET /health/live HTTP/1.1\r\nHost: a\nX-Hidden: b\r\n\r\n", 400, "bad_request"),
        ("POST /shield/batch HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n", 400, "bad_request"),
        ("\u{16}\u{3}\u{1} this is TLS\r\n\r\n", 400, "bad_request"),
        (many.as_str(), 431, "head_too_large"),
    ] {
        let (got, body) = Client::connect(deployment).await.say(bytes).await;
        assert_eq!(
            (got, &body["error"]),
            (status, &word.into()),
            "{:?}: {body}",
            &bytes[..bytes.len().min(80)]
        );
        assert_eq!((&body["code"], &body["status"]), (&status.into(), &"error".into()));
    }
}

async fn a_refused_request_ends_no_connection(deployment: &Deployment) {
    let mut client = Client::connect(deployment).await;
    let (guild, key) = (&deployment.guild().id, &deployment.guild().admin_key);
    let check =
        format!("GET /moderation/{guild}/ban-status/77 HTTP/1.1\r\nHost: a\r\nX-API-Key: {key}\r\n\r\n");
    // A line feed in a body is not checked.
    let body = "{\n\"play_ids\": [\n1\n]\n}";
    let batch = format!(
        "POST /shield/batch HTTP/1.1\r\nHost: a\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..2 {
        assert_eq!(client.say("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n").await.0, 400);
        assert_eq!(client.say("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").await.0, 400);
        assert_eq!(client.say(&check).await.0, 200);
        assert_eq!(client.say(&batch).await.0, 200);
    }
    // The second head of a connection is checked like the first, also if it arrives before the first is
    // answered.
    let mut hasty = Client::connect(deployment).await;
    let both = format!("{check}GET /health/live HTTP/1.1\nHost: a\n\n");
    assert_eq!(hasty.say(&both).await.0, 200);
    assert_eq!(hasty.head().await[0].split(' ').nth(1), Some("400"));
    assert_eq!(client.say(&check.replacen("\r\n", "\n", 1)).await.0, 400);
}

async fn a_refusal_takes_its_time(deployment: &Deployment) {
    let mut client = Client::connect(deployment).await;
    let began = Instant::now();
    for refused in
        ["GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /bindings/list HTTP/1.1\r\nHost: a\r\n\r\n"]
    {
        for _ in 0..5 {
            assert!(client.say(refused).await.0 >= 400);
        }
    }
    assert!(began.elapsed() >= Duration::from_millis(10 * 20), "{:?}", began.elapsed());
}

async fn a_visitor_learns_what_this_is(deployment: &Deployment) {
    let answer = http_client().get(deployment.api_base(0)).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert!(header("content-type").starts_with("text/html"));
    assert!(header("content-security-policy").contains("default-src 'none'"));
    let page = answer.text().await.unwrap();
    for link in ["href=\"docs\"", "href=\"openapi.json\"", "Discord", "Roblox"] {
        assert!(page.contains(link), "{link} in {page}");
    }
}

/// Such a connection has threads of its own, whatever is requested on it.
async fn a_connection_that_begins_with_a_live_socket_is_like_others(deployment: &Deployment) {
    let guild = deployment.guild();
    let socket = format!("/ws/guilds/{}/play?placeId=1&serverId=s&universeId=2", guild.id);
    let asks = |what: &str, more: &str| {
        format!("{what} HTTP/1.1\r\nHost: a\r\nX-API-Key: {}\r\n{more}\r\n", guild.game_key)
    };
    let mut client = Client::connect(deployment).await;
    for bytes in [asks(&format!("GET {socket}"), ""), asks("GET /ws/nothing", "")] {
        assert!(matches!(client.say(&bytes).await, (404 | 426, _)), "{bytes}");
    }
    let check = asks(&format!("GET /moderation/{}/ban-status/5", guild.id), "");
    assert_eq!(client.say(&check).await.0, 200);
    let beat = r#"{"server_id":"s","place_id":1,"universe_id":2,"player_count":1}"#;
    let length = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", beat.len());
    let (status, body) = client.say(&(asks("POST /play/servers/heartbeat", &length) + beat)).await;
    assert_eq!(status, 200, "{body}");
    let upgrade = "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    client.send(&asks(&format!("GET {socket}"), upgrade)).await;
    assert!(client.head().await[0].contains(" 101 "));
}

async fn a_request_may_come_in_pieces(deployment: &Deployment) {
    for path in ["/health/live", "/ws/nothing"] {
        for cut in [1, 7, 8, 9] {
            let mut client = Client::connect(deployment).await;
            let bytes = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
            client.send(&bytes[..cut]).await;
            // The later bytes are answered, so the first piece was read.
            Client::connect(deployment).await.say("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n").await;
            assert!(matches!(client.say(&bytes[cut..]).await, (200 | 404, _)), "{path} {cut}");
        }
    }
}

/// All that a client may choose: method, path, headers and host, in round `n`.
async fn odd_request(deployment: &Deployment, n: usize) -> u16 {
    let word = |salt: usize| format!("{:X}", (n + 1).wrapping_mul(0x9E37_79B9).wrapping_add(salt));
    let methods = ["GET", "POST", "DELETE", "PATCH", "PUT", "OPTIONS"];
    let method =
        if n.is_multiple_of(2) { format!("M{}", word(1)) } else { methods[n / 2 % methods.len()].to_owned() };
    let paths = [
        "/console".to_owned(),
        "/console/sign-in".to_owned(),
        format!("/console/{}", word(2)),
        format!("/console/guilds/{}/bindings", word(3)),
        format!("/{}", word(4)),
        "/docs".to_owned(),
        format!("/moderation/{}/ban-status/{}", word(5), word(6)),
        format!("/api/v1/ws/guilds/{n}/live"),
    ];
    let url = format!("{}{}?{}={}", deployment.api_base(0), paths[n % paths.len()], word(7), word(8));
    let request = http_client().request(method.parse().unwrap(), url);
    let request =
        request.header("host", format!("{}.example", word(9))).header(format!("x-{}", word(10)), word(11));
    let request = request.header("x-request-id", word(12)).header("user-agent", word(13));
    let request =
        request.header("x-api-key", word(14)).header("origin", format!("https://{}.example", word(15)));
    request
        .header("x-forwarded-for", format!("10.9.{}.{}", n / 250 % 250, n % 250))
        .send()
        .await
        .unwrap()
        .status()
        .as_u16()
}

fn resident_mib(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<usize>().unwrap() / 1024
}

async fn what_a_client_chooses_makes_no_series_and_no_memory(deployment: &Deployment) {
    let process = deployment.roles().apis[0].process.id();
    let series = async || {
        let metrics = deployment.metrics(0).await;
        let of_http = metrics.lines().filter(|line| line.starts_with("http_server_"));
        of_http
            .filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned()))
            .collect::<std::collections::BTreeSet<_>>()
    };
    let ask = async |turns: std::ops::Range<usize>| {
        let answers = futures_util::stream::iter(turns).map(|n| odd_request(deployment, n));
        let statuses: Vec<_> = answers.buffer_unordered(8).collect().await;
        assert!(statuses.iter().all(|status| (300..500).contains(status) || *status == 200), "{statuses:?}");
    };
    // Each kind of answer once.
    ask(0..200).await;
    let (known, before) = (series().await, resident_mib(process));
    ask(200..3_000).await;
    let new: Vec<_> = series().await.difference(&known).cloned().collect();
    assert!(new.is_empty(), "{new:?}");
    let grown = resident_mib(process).saturating_sub(before);
    assert!(grown < 30, "{grown} MiB");
}
