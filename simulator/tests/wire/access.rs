//! Rights of members in a guild, by the platform's permissions.

use entities::GuildId;
use platforms::{CallContext, Missing, Permissions, PlatformError};
use serde_json::json;
use simulator::RateLimit;

use crate::peer::{ADMIN_ROLE, BOT_ROLE, GUILD, MANAGE_SERVER, MEMBER_ROLE, Peer, chat, now, role};

#[tokio::test]
async fn the_owner_has_all_permissions() {
    let peer = Peer::start(2, RateLimit::Discord).await;
    let chat_platform = peer.platforms("50").chat;
    assert_eq!(chat_platform.guild_owner(now()).await, Ok(("G".to_owned(), chat(0))));
    let access = chat_platform.guild_access(now(), chat(0)).await.unwrap().unwrap();
    assert!(access.manages() && access.administrates() && access.is_owner && !access.is_bot);
    assert_eq!((&*access.guild_name, &*access.user_name), ("G", "m0"));
    assert_eq!(access.permissions, Permissions::from_bits(u64::MAX));
    assert_eq!(access.roles, [role(MEMBER_ROLE)]);
}

#[tokio::test]
async fn a_member_has_the_permissions_of_all_roles() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    let access = async || chat_platform.guild_access(now(), chat(1)).await.unwrap().unwrap();
    let plain = access().await;
    assert_eq!((plain.is_owner, plain.manages(), plain.permissions), (false, false, Permissions::default()));
    let promoted = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(1), "nick": null,
                           "roles": [MEMBER_ROLE.to_string(), ADMIN_ROLE.to_string()] });
    assert_eq!(peer.post("/control/members", promoted).await.0, 204);
    let manager = access().await;
    assert!(manager.manages() && !manager.is_owner);
    assert_eq!(manager.permissions, Permissions::from_bits(MANAGE_SERVER));
    assert_eq!((manager.user_name, manager.roles.len()), (format!("user{}", chat(1)), 2));
    let roles = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(1), "roles": [BOT_ROLE.to_string()] });
    assert_eq!(peer.post("/control/members", roles).await.0, 204);
    assert!(access().await.manages(), "an administrator");
}

#[tokio::test]
async fn strangers_have_no_access_and_failures_are_no_answer() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    let leaves = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(1), "remove": true });
    assert_eq!(peer.post("/control/members", leaves).await.0, 204);
    for stranger in [chat(1), chat(9)] {
        assert_eq!(chat_platform.guild_access(now(), stranger).await, Ok(None));
    }
    let elsewhere = CallContext::interactive(GuildId::try_from(3).unwrap());
    let unknown = Err(PlatformError::NotFound(Missing::Guild));
    assert_eq!(chat_platform.guild_access(elsewhere, chat(0)).await, unknown);
    assert_eq!(chat_platform.guild_owner(elsewhere).await, Err(PlatformError::NotFound(Missing::Guild)));
    for route in ["GET /guilds/:guild", "GET /guilds/:guild/members/:user"] {
        peer.fault(json!({ "route": route, "status": 500 })).await;
        let failed = chat_platform.guild_access(now(), chat(0)).await.unwrap_err();
        assert!(failed.is_retryable(), "{route}: {failed}");
    }
}
