//! Attacks on the console, and on the chat platform through it.

use anyhow::Context as _;
use futures_util::future::join_all;
use testkit::{Deployment, Guild};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::target::{AGAIN, HAMMERS, Target};

/// Clients that stop in the middle of a form.
const STOPPING: usize = 100;
/// Bytes of a form, of which one is never sent.
const FORM: usize = 4 * 1024 * 1024;
const READERS: usize = 12;

/// The cookie of a console session.
const COOKIE: &str = "__Host-guildhall";

/// Signs in by a link of the command line.
pub(super) async fn sign_in_as(deployment: &Deployment, guild: &Guild, user: &str) -> anyhow::Result<String> {
    let args = ["console", "link", "--guild", &guild.id, "--user", user];
    let url = deployment.command(&args).await.succeeded();
    let path = &url[url.find("/console/link/").context("no link")?..];
    let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    let request = http.post(format!("{}{}", deployment.api_base(0), path.trim()));
    let answer = request.header("content-type", "application/x-www-form-urlencoded").body("").send().await?;
    let cookies = answer.headers().get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
    let session = cookies.filter_map(|line| line.split(';').next()).find(|pair| pair.starts_with(COOKIE));
    session.map(str::to_owned).context("no session")
}

fn head(method: &str, path: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: bench\r\n{more}\r\n")
}

/// Sends a form without its last byte, repeatedly.
async fn stop_short(target: Target, clients: usize, again: bool, head: String) {
    join_all((0..clients).map(async |number| {
        while !target.is_over() {
            if let Ok(mut stream) = target.connect(number).await {
                let mut sent = stream.write_all(head.as_bytes()).await;
                let part = vec![b'a'; 64 * 1024];
                for _ in 0..FORM / part.len() - 1 {
                    if sent.is_ok() {
                        sent = stream.write_all(&part).await;
                    }
                }
                // Until it is closed.
                let mut rest = [0; 1024];
                let closed = async { while matches!(stream.read(&mut rest).await, Ok(1..)) {} };
                tokio::select! { () = closed => {}, () = target.until_over() => {} }
            }
            if !again {
                return target.until_over().await;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }))
    .await;
}

fn import(target: &Target, cookie: &str) -> String {
    let path = format!("/console/guilds/{}/shield/import", target.guild);
    head("POST", &path, &format!("{cookie}Content-Length: {FORM}\r\n"))
}

fn cookie(session: &str) -> String {
    format!("Cookie: {session}\r\n")
}

pub(super) async fn forms_of_nobody(target: Target) {
    let head = import(&target, "");
    stop_short(target, 3 * STOPPING, false, head).await;
}

pub(super) async fn forms_of_an_admin(target: Target) {
    let head = import(&target, &cookie(&target.admins[0]));
    stop_short(target, STOPPING, true, head).await;
}

pub(super) async fn forms_of_fields(target: Target) {
    let form = "a&".repeat(FORM / 2);
    let request = import(&target, &cookie(&target.admins[0])) + &form;
    target.hammer(HAMMERS, |_, _| &request).await;
}

pub(super) async fn by_chance(target: Target) {
    let request = |client: usize, turn: usize| {
        let n = turn * HAMMERS + client;
        let word = |salt: usize| format!("{:X}", (n + 1).wrapping_mul(0x9E37_79B9).wrapping_add(salt));
        let paths = [
            "/console".to_owned(),
            format!("/console/{}", word(1)),
            format!("/{}", word(2)),
            "/docs".to_owned(),
        ];
        let method = if n.is_multiple_of(2) {
            word(3).replace(|c: char| c.is_ascii_digit(), "M")
        } else {
            "GET".to_owned()
        };
        format!(
            "{method} {} HTTP/1.1\r\nHost: {}\r\nX-{}: {}\r\n\r\n",
            paths[n / 2 % 4],
            word(4),
            word(5),
            word(6)
        )
    };
    target.hammer(HAMMERS, request).await;
}

/// With a cookie that names any attempt.
pub(super) async fn sign_ins(target: Target) {
    // {"state":"x","verifier":"y","to":null}
    let cookie = cookie("__Host-guildhall-attempt=eyJzdGF0ZSI6IngiLCJ2ZXJpZmllciI6InkiLCJ0byI6bnVsbH0");
    target.hammer(HAMMERS, |_, _| head("GET", "/console/sign-in/callback?state=x&code=c", &cookie)).await;
}

pub(super) async fn stranger(target: Target) {
    let (path, cookie) = (format!("/console/guilds/{}", target.guild), cookie(&target.stranger));
    target.hammer(HAMMERS, |_, _| head("GET", &path, &cookie)).await;
}

/// Each is read for as long as it comes, slowly.
pub(super) async fn exports(target: Target) {
    let path = format!("/console/guilds/{}/audit/export?format=csv", target.guild);
    join_all((0..READERS).map(async |number| {
        let cookie = cookie(&target.admins[number % target.admins.len()]);
        let request = head("GET", &path, &(cookie + "Connection: close\r\n"));
        while !target.is_over() {
            if let Ok(mut stream) = target.connect(number).await
                && stream.write_all(request.as_bytes()).await.is_ok()
            {
                let mut part = vec![0; 64 * 1024];
                while !target.is_over() && matches!(stream.read(&mut part).await, Ok(1..)) {}
            }
            tokio::time::sleep(AGAIN).await;
        }
    }))
    .await;
}
