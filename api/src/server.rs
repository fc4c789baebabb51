//! HTTP: connections, dispatch to the endpoints, the response with its headers.

pub(crate) mod accept;
mod admitted;
mod connection;
mod console_page;
pub(crate) mod correlation;
pub(crate) mod cors;
pub(crate) mod dispatch;
mod figures;
mod head;
pub(crate) mod heartbeat_writer;
mod in_process;
mod interactions;
pub(crate) mod live;
pub(crate) mod pages;
mod phase;
pub(crate) mod presence;
mod replay;
pub(crate) mod request_log;
pub(crate) mod router;
pub(crate) mod service;
mod timed;
pub(crate) mod webhook;
