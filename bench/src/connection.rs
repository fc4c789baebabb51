//! A connection that asks one request after the other.

use anyhow::Context as _;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;

pub(crate) struct Connection(BufStream<TcpStream>);

impl Connection {
    pub(crate) async fn open(base: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(base.strip_prefix("http://").context("no http")?).await?;
        stream.set_nodelay(true)?;
        Ok(Self(BufStream::new(stream)))
    }

    /// Status and body, which must arrive whole.
    pub(crate) async fn ask(&mut self, request: &str) -> anyhow::Result<(String, Vec<u8>)> {
        self.0.write_all(request.as_bytes()).await?;
        self.0.flush().await?;
        let (mut head, mut line) = (String::new(), 0);
        while line != 2 {
            line = self.0.read_line(&mut head).await?;
            anyhow::ensure!(line > 0, "the connection of the checks was closed");
        }
        let status = head.split(' ').nth(1).context("no status")?.to_owned();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.context("no length")?.parse()?];
        self.0.read_exact(&mut body).await?;
        Ok((status, body))
    }
}
