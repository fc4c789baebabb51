//! The URL of RabbitMQ, as its library reads it.

use amq_protocol_uri::AMQPUri;
use http::Uri;

use crate::StartError;
use crate::settings::AMQP_URL;

/// Bytes of the smallest frame that every version of the server agrees to.
pub const FRAME_BYTES_MIN: u32 = 8_192;
const FORM: &str =
    "the form is amqp://user:password@host:5672/%2f (escape special characters in the password)";

/// Refuses what no server would ever accept, so that nobody dials it again and again. Never repeats the URL.
pub fn amqp_uri(url: &str) -> Result<AMQPUri, StartError> {
    let refused = |problem: String| StartError::setting(AMQP_URL, problem);
    let host = url.parse::<Uri>().ok().filter(|uri| matches!(uri.scheme_str(), Some("amqp" | "amqps")));
    let Some(host) = host.as_ref().and_then(Uri::host).filter(|host| !host.is_empty()) else {
        return Err(refused(format!("is not a RabbitMQ URL; {FORM}")));
    };
    let mut uri: AMQPUri = url.parse().map_err(|error| {
        refused(format!(
            "is not a usable RabbitMQ URL ({error}); {FORM}, and `frame_max`, `channel_max`, `heartbeat` and \
             `connection_timeout` are whole numbers"
        ))
    })?;
    // The library takes an IPv6 address for no host, and would dial this machine.
    host.trim_matches(['[', ']']).clone_into(&mut uri.authority.host);
    match uri.query.frame_max {
        Some(bytes @ 1..FRAME_BYTES_MIN) => Err(refused(format!(
            "has `frame_max={bytes}`: give at least {FRAME_BYTES_MIN} bytes, or 0 for no limit"
        ))),
        _ => Ok(uri),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_parameters_are_kept() {
        for (host, expected) in [("mq", "mq"), ("10.0.0.2", "10.0.0.2"), ("[2001:db8::5]", "2001:db8::5")] {
            let uri = amqp_uri(&format!("amqp://ann:hunter2@{host}:6000/hall?frame_max=0")).unwrap();
            assert_eq!((uri.authority.host.as_str(), uri.authority.port), (expected, 6000));
            assert_eq!((uri.vhost.as_str(), uri.query.frame_max), ("hall", Some(0)));
        }
        for fine in ["frame_max=8192", "heartbeat=30&channel_max=16", "auth_mechanism=external", ""] {
            assert!(amqp_uri(&format!("amqps://ann:hunter2@mq/%2f?{fine}")).is_ok(), "{fine}");
        }
    }

    #[test]
    fn what_no_server_accepts_is_refused_and_named() {
        for (url, named) in [
            ("http://ann:hunter2@mq", "is not a RabbitMQ URL"),
            ("amqp:hunter2", "is not a RabbitMQ URL"),
            ("amqp://ann:hunter2@mq?frame_max=many", "`frame_max`"),
            ("amqp://ann:hunter2@mq?frame_max=8191", "has `frame_max=8191`: give at least 8192 bytes"),
            ("amqp://ann:hunter2@mq?heartbeat=1.5", "`heartbeat`"),
            ("amqp://ann:hunter2@mq?heartbeat=65536", "`heartbeat`"),
            ("amqp://ann:hunter2@mq?channel_max=-1", "`channel_max`"),
            ("amqp://ann:hunter2@mq?connection_timeout=", "`connection_timeout`"),
            ("amqp://ann:hunter2@mq?auth_mechanism=trust", "SASL mechanism"),
        ] {
            let error = amqp_uri(url).unwrap_err().to_string();
            assert!(error.starts_with(AMQP_URL) && error.contains(named), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{url}: {error}");
        }
    }
}
