//! A request for a page.

use std::net::IpAddr;
use std::sync::Arc;

use http::{HeaderMap, Method};

/// The path of the console: its pages are this one and all below it.
pub const ROOT: &str = "/console";
/// The pages of members.
pub const MEMBERS: &str = "/link";
/// The pages on which members apply: all below it.
pub const APPLICANTS: &str = "/apply";

/// A request below [`ROOT`].
#[derive(Clone)]
pub struct Request {
    pub method: Method,
    /// Still percent-encoded.
    pub path: String,
    pub query: String,
    pub headers: Arc<HeaderMap>,
    pub address: IpAddr,
    pub request_id: Arc<str>,
}
