//! The exact requests of the clients, and invalid answers.

use std::sync::{Arc, Mutex};

use platforms::{PlatformError, SignInError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::peer::{chat, now, platforms_at, role};

type Seen = Arc<Mutex<Vec<String>>>;

/// A server that answers every request with these bytes and closes the connection.
async fn peer_that_says(answer: Vec<u8>) -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/api/v10/", listener.local_addr().unwrap());
    let seen = Seen::default();
    let log = seen.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = vec![0; 16_384];
            let read = stream.read(&mut buffer).await.unwrap_or(0);
            log.lock().unwrap().push(String::from_utf8_lossy(&buffer[..read]).into_owned());
            let _ = stream.write_all(&answer).await;
        }
    });
    (url, seen)
}

fn answer(status: &str, head: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{head}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

#[tokio::test]
async fn a_change_carries_the_credential_and_its_reason() {
    let (url, seen) = peer_that_says(answer("204 No Content", "", "")).await;
    let chat_platform = platforms_at(&url, "off").chat;
    chat_platform.add_role(now(), chat(1), role(5), "Ränge: 50%\r\nX-Evil: 1").await.unwrap();
    let request = seen.lock().unwrap().concat();
    let line = format!("PUT /api/v10/guilds/7000000000000000000/members/{}/roles/5 HTTP/1.1", chat(1));
    assert!(request.starts_with(&line), "{request}");
    assert!(request.contains("authorization: Bot t\r\n"), "{request}");
    assert!(
        request.contains("x-audit-log-reason: R%C3%A4nge%3A%2050%25%0D%0AX%2DEvil%3A%201\r\n"),
        "{request}"
    );
}

#[tokio::test]
async fn an_answer_of_another_shape_is_unavailable_and_its_body_not_shown() {
    for body in ["<html>secret</html>", "{\"secret\":1}", "[{\"id\":\"secret\"}]", ""] {
        let (url, _) = peer_that_says(answer("200 OK", "", body)).await;
        let error = platforms_at(&url, "off").chat.guild_roles(now()).await.unwrap_err();
        assert!(
            matches!(&error, PlatformError::Unavailable { route: "GET /guilds/:guild/roles", .. }),
            "{error}"
        );
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn a_sign_in_sends_a_form_and_shows_no_answer_of_another_shape() {
    for body in ["<html>secret</html>", "{\"secret\":1}", "{\"access_token\":7}", ""] {
        let (url, seen) = peer_that_says(answer("200 OK", "", body)).await;
        let sign_in = platforms_at(&url, "off").sign_in.unwrap();
        let time = runtime::Clock::system().now();
        let attempt = sign_in.authorize_url("http://h/c?d=e", time);
        let begun = sign_in.begun(&attempt.state, &attempt.verifier, time).unwrap();
        let error = sign_in.finish("a&b", &begun, "http://h/c?d=e").await.unwrap_err();
        assert!(
            matches!(
                &error,
                SignInError::Platform(PlatformError::Unavailable { route: "POST /oauth2/token", .. })
            ),
            "{error}"
        );
        assert!(!error.to_string().contains("secret"), "{error}");
        let request = seen.lock().unwrap().concat();
        assert!(request.starts_with("POST /api/v10/oauth2/token HTTP/1.1\r\n"), "{request}");
        let form = request.rsplit("\r\n").next().unwrap_or_default();
        let mut fields: Vec<&str> = form.split('&').collect();
        fields.sort_unstable();
        let verifier = format!("code_verifier={}", attempt.verifier);
        let expected = [
            "client_id=guildhall-demo",
            "client_secret=guildhall-demo-secret",
            "code=a%26b",
            &verifier,
            "grant_type=authorization_code",
            "redirect_uri=http%3A%2F%2Fh%2Fc%3Fd%3De",
        ];
        assert_eq!(fields, expected);
    }
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let mut endless = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    endless.resize(9 << 20, b' ');
    let (url, _) = peer_that_says(endless).await;
    let error = platforms_at(&url, "off").chat.guild_roles(now()).await.unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

/// `[]` compressed with gzip.
const COMPRESSED: [u8; 22] =
    [0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03, 0x8b, 0x8e, 0x05, 0, 0x29, 0xbb, 0x4c, 0x0d, 0x02, 0, 0, 0];

#[tokio::test]
async fn compressed_answers_are_not_accepted() {
    let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 22\r\nconnection: close\r\n\r\n";
    let (url, seen) = peer_that_says([head.as_bytes(), &COMPRESSED].concat()).await;
    let error = platforms_at(&url, "off").chat.guild_roles(now()).await.unwrap_err();
    assert!(error.to_string().contains("shape"), "{error}");
    let request = seen.lock().unwrap().concat().to_lowercase();
    assert!(request.contains("get /") && !request.contains("accept-encoding"), "{request}");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (elsewhere, seen) = peer_that_says(answer("200 OK", "", "[]")).await;
    let (url, _) = peer_that_says(answer("302 Found", &format!("location: {elsewhere}\r\n"), "")).await;
    let error = platforms_at(&url, "off").chat.guild_roles(now()).await.unwrap_err();
    assert!(error.is_retryable() && seen.lock().unwrap().is_empty(), "{error}");
}
