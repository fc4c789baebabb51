//! The calls: ban checks at a steady rate, and many concurrent calls of a list that discard the answer.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures_util::future::try_join_all;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;

use crate::http::load;

/// Connections of the checks.
const CHECKERS: usize = 8;
/// Of each connection.
const BETWEEN_CHECKS: Duration = Duration::from_millis(20);

#[derive(Clone)]
pub(crate) struct Call(String);

impl Call {
    /// A GET with one of the keys of `load::file`.
    pub(crate) fn new(path: &str, guild: usize, key: usize) -> Self {
        let key = load::text(guild, key);
        Self(format!("GET {path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: {key}\r\n"))
    }

    pub(crate) fn request(&self) -> String {
        format!("{}\r\n", self.0)
    }

    pub(crate) fn gzip(self, gzip: bool) -> Self {
        if gzip { Self(self.0 + "Accept-Encoding: gzip\r\n") } else { self }
    }
}

/// The outcome of many calls.
#[derive(Default)]
pub(crate) struct Answers {
    pub(crate) whole: u32,
    pub(crate) busy: u32,
    /// Of all whole answers.
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
}

/// Sends the calls at once, on a thread of their own; repeats each within this time, at least once.
pub(crate) fn all_at_once(base: &str, calls: &[Call], within: Duration) -> anyhow::Result<Answers> {
    let began = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answers = runtime.block_on(try_join_all(calls.iter().map(async |call| {
        let (mut connection, mut answers) = (Connection::open(base).await?, Vec::new());
        while answers.is_empty() || began.elapsed() < within {
            answers.push(connection.ask(call).await?);
        }
        anyhow::Ok(answers)
    })))?;
    let mut all = Answers { seconds: began.elapsed().as_secs_f64(), ..Answers::default() };
    for (status, bytes) in answers.into_iter().flatten() {
        match status {
            200 => (all.whole, all.bytes) = (all.whole + 1, all.bytes + bytes),
            503 => all.busy += 1,
            other => anyhow::bail!("a list was answered {other}"),
        }
    }
    Ok(all)
}

/// Milliseconds of each check within this time.
pub(crate) async fn check_for(base: &str, checks: &[Call], within: Duration) -> anyhow::Result<Vec<f64>> {
    let until = Instant::now() + within;
    let checkers = (0..CHECKERS).map(async |first| {
        let (mut connection, mut times) = (Connection::open(base).await?, Vec::new());
        tokio::time::sleep(BETWEEN_CHECKS * u32::try_from(first)? / u32::try_from(CHECKERS)?).await;
        for call in checks.iter().cycle().skip(first * checks.len() / CHECKERS) {
            if Instant::now() >= until {
                break;
            }
            let began = Instant::now();
            let (status, _) = connection.ask(call).await?;
            anyhow::ensure!(status == 200, "a check was answered {status}");
            times.push(began.elapsed().as_secs_f64() * 1e3);
            tokio::time::sleep(BETWEEN_CHECKS.saturating_sub(began.elapsed())).await;
        }
        anyhow::Ok(times)
    });
    Ok(try_join_all(checkers).await?.concat())
}

struct Connection(BufStream<TcpStream>);

impl Connection {
    async fn open(base: &str) -> anyhow::Result<Self> {
        let address = base.strip_prefix("http://").context("no http")?;
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self(BufStream::with_capacity(256 * 1024, 4096, stream)))
    }

    /// Status and length of the body, which must arrive whole.
    async fn ask(&mut self, call: &Call) -> anyhow::Result<(u16, u64)> {
        self.0.write_all(call.request().as_bytes()).await?;
        self.0.flush().await?;
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            self.0.read_line(&mut line).await?;
            if status == 0 {
                status = line.split(' ').nth(1).context("no status")?.parse()?;
            }
            match line.trim_end().split_once(": ") {
                Some(("content-length", text)) => length = text.parse()?,
                None if line == "\r\n" => break,
                _ => {}
            }
        }
        let read = tokio::io::copy_buf(&mut (&mut self.0).take(length), &mut tokio::io::sink()).await?;
        anyhow::ensure!(read == length, "{read} of {length} bytes arrived");
        Ok((status, length))
    }
}
