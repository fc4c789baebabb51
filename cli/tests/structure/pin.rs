//! `deploy/pin` against a registry that the test is.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::workspace;

const FILES: [&str; 4] = ["Dockerfile", "compose.yaml", "compose.embedded.yaml", "caddy/compose.yaml"];

/// Repositories and tags; those of Docker without a name of an organisation are in `library`.
const IMAGES: [&str; 7] = [
    "library/rust/manifests/1.95-bookworm",
    "library/caddy/manifests/2",
    "library/postgres/manifests/17",
    "library/rabbitmq/manifests/4",
    "library/redis/manifests/8",
    "prom/prometheus/manifests/v3.13.2",
    "grafana/grafana/manifests/12.3.2",
];

/// Answers every request for a manifest with the same digest, once the client has fetched a token.
struct Registry {
    url: String,
    digest: Arc<AtomicU64>,
}

impl Registry {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let digest = Arc::new(AtomicU64::new(1));
        let (realm, known) = (url.clone(), digest.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &realm, known.load(Ordering::Relaxed));
            }
        });
        Self { url, digest }
    }
}

fn answer(mut stream: TcpStream, realm: &str, digest: u64) {
    let head = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
    let head: Vec<_> = head.take_while(|line| !line.is_empty()).collect();
    let (status, fields, body) = if head[0].starts_with("GET /token?service=here&scope=pull ") {
        ("200 OK", String::new(), r#"{"token": "secret"}"#)
    } else if !head.contains(&"Authorization: Bearer secret".to_owned()) {
        let challenge = format!(r#"Bearer realm="{realm}/token",service="here",scope="pull""#);
        ("401 Unauthorized", format!("WWW-Authenticate: {challenge}\r\n"), "")
    } else if IMAGES.iter().any(|image| head[0].starts_with(&format!("HEAD /v2/{image} "))) {
        ("200 OK", format!("Docker-Content-Digest: {}\r\n", shown(digest)), "")
    } else {
        ("404 Not Found", String::new(), "")
    };
    let length = body.len();
    let answer =
        format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).unwrap();
}

fn shown(digest: u64) -> String {
    format!("sha256:{digest:064x}")
}

fn without_digests(text: &str) -> String {
    let mut parts = text.split("@sha256:");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + &part[64..])
}

fn pin(folder: &Path, registry: &Registry, arguments: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command.arg(folder.join("pin")).args(["--mirror", &registry.url]).args(arguments);
    command.output().unwrap()
}

#[test]
fn images_get_the_digests_of_their_tags() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("caddy")).unwrap();
    for name in FILES.into_iter().chain(["pin"]) {
        let text = fs::read_to_string(workspace().join("deploy").join(name)).unwrap();
        fs::write(folder.path().join(name), without_digests(&text)).unwrap();
    }
    let read = || FILES.map(|name| fs::read_to_string(folder.path().join(name)).unwrap()).concat();
    let registry = Registry::start();

    let tagged = read();
    let pinned = pin(folder.path(), &registry, &[]);
    assert!(pinned.status.success(), "{pinned:?}");
    assert_eq!(read().matches(&shown(1)).count(), IMAGES.len(), "{}", read());
    assert!(read().contains(&format!("image: caddy:2@{}\n", shown(1))), "{}", read());
    assert!(read().contains("FROM scratch\n") && read().contains("image: guildhall\n"), "{}", read());
    assert!(pin(folder.path(), &registry, &["--check"]).status.success());

    registry.digest.store(2, Ordering::Relaxed);
    let checked = pin(folder.path(), &registry, &["--check"]);
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(
        said.contains(&format!("compose.yaml: postgres:17 is {}, not {}\n", shown(2), shown(1))),
        "{said}"
    );
    assert!(!read().contains(&shown(2)), "a check changes nothing");

    assert!(pin(folder.path(), &registry, &[]).status.success());
    assert_eq!(read().matches(&shown(2)).count(), IMAGES.len());
    assert_eq!(without_digests(&read()), tagged);
}
