//! Requests of the chat platform to the application, and of a game to its API: plain HTTP, one connection each.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST};
use http::{Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

type Error = Box<dyn std::error::Error + Send + Sync>;

const ANSWER_CAP: usize = 1 << 20;

/// Status and body of the answer.
pub(crate) async fn post(url: &Uri, headers: &[(&str, String)], body: Bytes) -> Result<(u16, Bytes), Error> {
    let authority = url.authority().filter(|_| url.scheme_str() == Some("http"));
    let authority = authority.ok_or("the simulator calls only http addresses")?;
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((host, authority.port_u16().unwrap_or(80))).await?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    let path = url.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    let mut request = Request::post(path).header(HOST, authority.as_str());
    request = request.header(CONTENT_TYPE, "application/json");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let request = request.body(Full::new(body))?;
    // Ends with the sender.
    let driver = tokio::spawn(connection);
    let response = sender.send_request(request).await?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), ANSWER_CAP).collect().await?.to_bytes();
    drop(sender);
    driver.abort();
    Ok((status, body))
}
