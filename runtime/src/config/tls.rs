//! Servers that are reached over a network without encryption.

use sea_orm::sqlx::postgres::PgSslMode;

use super::plain::{is_plain, is_remote};
use super::{Config, PlatformConfig};
use crate::database;
use crate::settings::{AMQP_URL, CHAT_API_URL, DATABASE_URL, PLAY_API_URL, REDIS_URL};

impl Config {
    /// The variables whose URL names another machine and does not demand TLS.
    pub fn without_tls(&self) -> Vec<&'static str> {
        let mut plain = Vec::new();
        if self.is_postgres() && is_plain_postgres(self.database_url.expose()) {
            plain.push(DATABASE_URL);
        }
        if let Some(broker) = &self.broker {
            let urls = [(AMQP_URL, &broker.amqp_url, "amqp"), (REDIS_URL, &broker.redis_url, "redis")];
            let remote = urls.into_iter().filter(|(_, url, plain)| is_plain(url.expose(), plain));
            plain.extend(remote.map(|(variable, ..)| variable));
        }
        plain
    }
}

impl PlatformConfig {
    /// The same for the platforms' addresses: bot token and keys would be sent in the clear.
    pub fn without_tls(&self) -> Vec<&'static str> {
        let urls = [(CHAT_API_URL, &self.chat_api_url), (PLAY_API_URL, &self.play_api_url)];
        let plain =
            urls.into_iter().filter(|(_, url)| url.as_deref().is_some_and(|url| is_plain(url, "http")));
        plain.map(|(variable, _)| variable).collect()
    }
}

fn is_plain_postgres(url: &str) -> bool {
    database::check_postgres_url(url).is_ok_and(|options| {
        let demanded = matches!(
            options.get_ssl_mode(),
            PgSslMode::Require | PgSslMode::VerifyCa | PgSslMode::VerifyFull
        );
        !demanded && options.get_socket().is_none() && is_remote(options.get_host())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::BrokerConfig;

    fn plain(database: &str, amqp: &str, redis: &str) -> Vec<&'static str> {
        let broker = Some(BrokerConfig { amqp_url: amqp.into(), redis_url: redis.into() });
        Config { database_url: database.into(), prefix: "test".to_owned(), broker }.without_tls()
    }

    #[test]
    fn only_other_machines_without_tls_are_named() {
        let local = ["postgres://a@127.0.0.1/h", "amqp://a@localhost/%2f", "redis://[::1]:6379/0"];
        assert_eq!(plain(local[0], local[1], local[2]), [""; 0]);
        let all = plain("postgres://a@db/h", "amqp://a@10.0.0.2:5672/%2f", "redis://cache/0");
        assert_eq!(all, [DATABASE_URL, AMQP_URL, REDIS_URL]);
        let tls = plain("postgres://a@db/h?sslmode=verify-full", "amqps://a@mq/%2f", "rediss://cache/0");
        assert_eq!(tls, [""; 0]);
        assert_eq!(plain("postgres://a@db/h?sslmode=prefer", local[1], local[2]), [DATABASE_URL]);
        assert_eq!(plain("sqlite://h.db", local[1], local[2]), [""; 0]);
    }
}
