//! The three servers over TLS, with certificates of a throw-away authority.

use std::time::Duration;

use serde_json::json;
use testkit::{Mode, PrivateServer, Servers, Setup, run};

#[test]
fn a_deployment_works_over_tls_and_trusts_only_its_authority() {
    let [database, amqp, redis] =
        ["postgres", "rabbitmq", "redis"].map(|kind| PrivateServer::start_with_tls(kind, "tls"));
    let servers = Servers { database: database.url(), amqp: amqp.url(), redis: redis.url() };
    assert!(servers.amqp.starts_with("amqps://") && servers.redis.starts_with("rediss://"));
    assert!(servers.database.contains("sslmode=verify-full"));
    let setup = Setup::new(Mode::Distributed).env("SSL_CERT_FILE", &database.authority());
    run(Setup { servers: Some(servers), ..setup }, async |deployment| {
        let guild = deployment.guild();
        let member = guild.members.iter().find(|member| member.needs_change()).unwrap();
        let body = json!({ "guild_id": guild.id, "user_id": member.chat });
        deployment.api().post("/interactions/sync", body).await.ok();
        assert!(!deployment.roles().apis[0].process.log().contains("without TLS"));
        // A process that does not trust the authority connects to no server.
        let mut stranger = deployment.spawn_with("api", &[("SSL_CERT_FILE", "/dev/null")]).process;
        assert!(!stranger.ended(Duration::from_secs(20)).await.success());
        let log = stranger.log();
        assert!(log.contains("cannot reach Redis") && log.contains("ertificate"), "{log}");
    });
}
