use entities::guild::grants::Grants;
use std::time::{Duration, Instant};

use platforms::{MemberUpdate, Missing, NewChannel, Overwrite, PlatformError, Principal, RoleProblem};
use serde_json::json;
use simulator::RateLimit;

use crate::peer::{
    ADMIN_ROLE, BOT_ROLE, GUILD, MEMBER_ROLE, OFFICER_ROLE, Peer, bulk, chat, config, now, platforms_at, role,
};

fn set(roles: &[i64], nick: &str) -> MemberUpdate {
    MemberUpdate {
        roles: Some(roles.iter().map(|id| role(*id)).collect()),
        nick: Some(Some(nick.to_owned())),
    }
}

#[tokio::test]
async fn pages_cover_every_member_once() {
    let peer = Peer::start(25, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = chat_platform.members_page(bulk(), after, 10).await.unwrap();
        seen.extend(page.iter().map(|member| (member.chat_id, member.is_bot)));
        after = page.last().map(|member| member.chat_id);
        if page.len() < 10 {
            break;
        }
    }
    let people = seen.iter().filter(|(_, bot)| !bot).count();
    assert_eq!((seen.len(), people), (26, 25));
    assert!(seen.is_sorted());
    assert_eq!(peer.stats().await["page_calls"], 3);
}

#[tokio::test]
async fn members_are_found_by_how_their_names_begin() {
    let peer = Peer::start(12, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    let nick = MemberUpdate { nick: Some(Some("Élodie".to_owned())), ..MemberUpdate::default() };
    chat_platform.update_member(bulk(), chat(3), nick, "").await.unwrap();
    let named = chat_platform.members_named(now(), "él", 20).await.unwrap();
    assert_eq!(named.iter().map(|one| (one.chat_id, &*one.name)).collect::<Vec<_>>(), [(chat(3), "Élodie")]);
    let by_user_name = chat_platform.members_named(now(), &format!("USER{}", chat(3)), 20).await.unwrap();
    assert_eq!(by_user_name, named);
    assert_eq!(chat_platform.members_named(now(), "user", 5).await.unwrap().len(), 5);
    assert_eq!(chat_platform.members_named(now(), "lodie", 5).await.unwrap(), []);
    assert!(chat_platform.members_named(now(), "", 5).await.is_err());
}

#[tokio::test]
async fn one_call_sets_roles_and_nickname() {
    let peer = Peer::start(3, RateLimit::Discord).await;
    let chat_platform = peer.platforms("50").chat;
    chat_platform
        .update_member(bulk(), chat(1), set(&[OFFICER_ROLE], "новый"), "synced — ranks")
        .await
        .unwrap();
    let member = chat_platform.member(now(), chat(1)).await.unwrap().unwrap();
    assert_eq!(member.roles, [role(OFFICER_ROLE)]);
    assert_eq!(member.nick.as_deref(), Some("новый"));
    let only_nick = MemberUpdate { nick: Some(None), ..MemberUpdate::default() };
    chat_platform.update_member(bulk(), chat(1), only_nick, "").await.unwrap();
    let member = peer.member(1).await;
    assert_eq!(member["nick"], json!(null));
    assert_eq!(member["roles"], json!([OFFICER_ROLE.to_string()]));
    assert_eq!(peer.stats().await["member_updates"], 2);
}

#[tokio::test]
async fn single_roles_come_and_go() {
    let peer = Peer::start(1, RateLimit::Discord).await;
    let chat_platform = peer.platforms("50").chat;
    chat_platform.add_role(now(), chat(0), role(OFFICER_ROLE), "r").await.unwrap();
    chat_platform.add_role(now(), chat(0), role(OFFICER_ROLE), "r").await.unwrap();
    chat_platform.remove_role(now(), chat(0), role(MEMBER_ROLE), "r").await.unwrap();
    assert_eq!(peer.member(0).await["roles"], json!([OFFICER_ROLE.to_string()]));
    let unknown = chat_platform.add_role(now(), chat(0), role(99), "r").await;
    assert_eq!(unknown, Err(PlatformError::NotFound(Missing::Role)));
}

#[tokio::test]
async fn roles_and_members_above_the_bot_are_refused() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    for high in [ADMIN_ROLE, BOT_ROLE] {
        let refused =
            chat_platform.update_member(bulk(), chat(0), set(&[MEMBER_ROLE, high], "m0"), "r").await;
        assert!(matches!(refused, Err(PlatformError::Forbidden { code: 50013, .. })), "{high}: {refused:?}");
    }
    let everyone = chat_platform.add_role(bulk(), chat(0), role(GUILD), "r").await;
    assert_eq!(everyone, Err(PlatformError::NotFound(Missing::Role)));
    // A member with a role above the bot can keep it, but cannot be renamed.
    let high =
        json!({ "guild_id": GUILD.to_string(), "chat_id": chat(0), "roles": [ADMIN_ROLE.to_string()] });
    assert_eq!(peer.post("/control/members", high).await.0, 204);
    let kept = MemberUpdate { roles: set(&[ADMIN_ROLE, OFFICER_ROLE], "").roles, nick: None };
    chat_platform.update_member(bulk(), chat(0), kept, "r").await.unwrap();
    let renamed = MemberUpdate { roles: None, nick: Some(Some("x".into())) };
    let refused = chat_platform.update_member(bulk(), chat(0), renamed, "r").await;
    assert!(matches!(refused, Err(PlatformError::Forbidden { code: 50013, .. })));

    let overview = chat_platform.guild_overview(now()).await.unwrap();
    assert_eq!(overview.bot_position, 10);
    assert_eq!(overview.grantable(role(OFFICER_ROLE), &Grants::default()), Ok(()));
    assert_eq!(overview.grantable(role(ADMIN_ROLE), &Grants::default()), Err(RoleProblem::AboveBot));
    assert_eq!(overview.grantable(role(BOT_ROLE), &Grants::default()), Err(RoleProblem::Managed));
    assert_eq!(overview.grantable(role(GUILD), &Grants::default()), Err(RoleProblem::Everyone));
    assert_eq!(overview.grantable(role(9), &Grants::default()), Err(RoleProblem::Unknown));
}

#[tokio::test]
async fn invalid_changes_are_refused() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    let long = chat_platform.update_member(bulk(), chat(0), set(&[], &"é".repeat(33)), "r").await;
    assert!(matches!(long, Err(PlatformError::Invalid { code: 50035, .. })), "{long:?}");
    chat_platform.update_member(bulk(), chat(0), set(&[], &"é".repeat(32)), "r").await.unwrap();
    let missing = chat_platform.update_member(bulk(), chat(9), set(&[], "x"), "r").await;
    assert_eq!(missing, Err(PlatformError::NotFound(Missing::User)));
    assert_eq!(chat_platform.ban(bulk(), chat(9), "r").await, Err(PlatformError::NotFound(Missing::User)));
    let leaves = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(1), "remove": true });
    assert_eq!(peer.post("/control/members", leaves).await.0, 204);
    let gone = chat_platform.update_member(bulk(), chat(1), set(&[], "x"), "r").await;
    assert_eq!(gone, Err(PlatformError::NotFound(Missing::Member)));
    let unknown = chat_platform.update_member(bulk(), chat(0), set(&[12], "x"), "r").await;
    assert_eq!(unknown, Err(PlatformError::NotFound(Missing::Role)));
    assert_eq!(chat_platform.member(now(), chat(9)).await, Ok(None));
    let known = async |user| chat_platform.known_user(now(), chat(user)).await.unwrap();
    let is_member = [known(0).await, known(1).await, known(9).await].map(|user| Some(user?.is_member));
    assert_eq!(is_member, [Some(true), Some(false), None]);
    let elsewhere = platforms::CallContext::interactive(entities::GuildId::try_from(3).unwrap());
    assert_eq!(chat_platform.guild_roles(elsewhere).await, Err(PlatformError::NotFound(Missing::Guild)));
}

#[tokio::test]
async fn hidden_members_and_an_unreachable_guild_are_different_errors() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    assert_eq!(peer.post("/control/intents", json!({ "guild_members": false })).await.0, 204);
    let hidden = chat_platform.members_page(now(), None, 1).await;
    assert_eq!(hidden, Err(PlatformError::MembersIntentOff));
    assert!(chat_platform.member(now(), chat(0)).await.unwrap().is_some());
    // The guild's roles are refused as well: the bot is not in the guild.
    peer.fault(json!({ "route": "*", "status": 403, "code": 50001, "count": 2 })).await;
    let absent = chat_platform.members_page(now(), None, 1).await;
    assert!(matches!(absent, Err(PlatformError::Forbidden { code: 50001, .. })), "{absent:?}");
}

#[tokio::test]
async fn bans_and_channels() {
    let peer = Peer::start(2, RateLimit::Discord).await;
    let chat_platform = peer.platforms("50").chat;
    chat_platform.ban(now(), chat(0), "rule 1").await.unwrap();
    assert_eq!(chat_platform.member(now(), chat(0)).await, Ok(None));
    chat_platform.unban(now(), chat(0), "appeal").await.unwrap();
    let again = chat_platform.unban(now(), chat(0), "appeal").await;
    assert_eq!(again, Err(PlatformError::NotFound(Missing::Ban)));
    let channel = NewChannel {
        name: "Ticket 1".into(),
        category: None,
        topic: Some("t".into()),
        overwrites: vec![Overwrite { of: Principal::User(chat(1)), allow: 1 << 10, deny: 0 }],
    };
    let made = chat_platform.create_channel(now(), channel, "r").await.unwrap();
    let channels = chat_platform.channels(now()).await.unwrap();
    assert_eq!((channels.len(), &channels[0]), (2, &made), "beside the first channel");
    let stats = peer.stats().await;
    assert_eq!((&stats["bans"], &stats["channels_created"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn a_short_429_is_waited_out_once_and_a_second_one_returned() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let chat_platform = peer.platforms("50").chat;
    let fault = |count| json!({ "route": "GET /guilds/:guild/roles", "status": 429, "retry_after": 0.6, "count": count });
    peer.fault(fault(1)).await;
    let started = Instant::now();
    chat_platform.guild_roles(now()).await.unwrap();
    assert!(started.elapsed() >= Duration::from_millis(600), "{:?}", started.elapsed());
    peer.fault(fault(2)).await;
    let limited = chat_platform.guild_roles(now()).await;
    assert!(
        matches!(limited, Err(PlatformError::RateLimited { retry_after }) if retry_after >= Duration::from_millis(600))
    );
}

#[tokio::test]
async fn a_long_429_is_returned_and_its_pause_kept() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let chat_platform = peer.platforms("50").chat;
    peer.fault(
        json!({ "route": "GET /guilds/:guild/roles", "status": 429, "retry_after": 30, "global": true }),
    )
    .await;
    let started = Instant::now();
    for _ in 0..2 {
        let limited = chat_platform.guild_roles(now()).await;
        assert!(
            matches!(limited, Err(PlatformError::RateLimited { retry_after }) if retry_after.as_secs() >= 25)
        );
    }
    // A global pause: a call of another route waits too, and is not sent.
    assert!(matches!(chat_platform.channels(now()).await, Err(PlatformError::RateLimited { .. })));
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(peer.stats().await["chat_requests"], 1);
}

#[tokio::test]
async fn faults_are_classified() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    peer.fault(json!({ "route": "*", "status": 500, "count": 1 })).await;
    let failed = chat_platform.guild_roles(now()).await.unwrap_err();
    assert!(failed.is_retryable() && failed.to_string().contains("500"), "{failed}");
    chat_platform.guild_roles(now()).await.unwrap();
    peer.fault(json!({ "route": "GET /guilds/:guild/roles", "hang_ms": 12_000, "count": 1 })).await;
    let started = Instant::now();
    let late = chat_platform.guild_roles(now()).await.unwrap_err();
    assert!(late.is_retryable() && late.to_string().contains("no answer in time"), "{late}");
    assert!((9..12).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
    let unreachable = platforms_at("http://127.0.0.1:1", "off").chat.guild_roles(now()).await.unwrap_err();
    assert!(unreachable.is_retryable() && unreachable.to_string().contains("no connection"), "{unreachable}");
}

#[tokio::test]
async fn missing_credentials_are_named_by_their_variable() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let mut bare = config(&peer.url, "off");
    (bare.chat_token, bare.play_key) = (None, None);
    let platforms = platforms::Platforms::new(&bare, None).unwrap();
    let chat_error = platforms.chat.guild_roles(now()).await.unwrap_err();
    assert_eq!(chat_error, PlatformError::NotConfigured("GUILDHALL_CHAT_TOKEN"));
    let play_error = platforms.play.group_roles(now(), crate::peer::group()).await.unwrap_err();
    assert_eq!(play_error, PlatformError::NotConfigured("GUILDHALL_PLAY_KEY"));
    assert_eq!(peer.stats().await["chat_requests"], 0);
}
