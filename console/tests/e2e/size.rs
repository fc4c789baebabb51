//! Pages of a large guild stay small: lists are shown in parts.

use chrono::{DateTime, Utc};
use sea_orm::Value;
use serde_json::json;
use testkit::{Deployment, in_turn};

use super::security::{crawl, sql};
use testkit::console::Console;

in_turn!(no_page_of_a_large_guild_has_more_than_100_kilobytes(|setup| setup.members(5_000)));

/// Bytes of a page, without what the browser keeps.
const PAGE_MAX: usize = 100_000;
const STAFF: usize = 100;

async fn no_page_of_a_large_guild_has_more_than_100_kilobytes(deployment: &Deployment) {
    fill(deployment).await;
    let console = Console::operator(deployment).await;
    let root = format!("/console/guilds/{}", deployment.guild().id);
    let begun = console.submit(&format!("{root}/sync/preview"), &[]).await;
    deployment.job_ended(begun.path().rsplit('=').next().unwrap()).await;
    let mut pages = vec![console.get(&begun.path()).await];
    assert!(pages[0].contains("Load more"), "{}", pages[0].text());
    let players: Vec<_> = deployment.guild().members.iter().take(120).map(|member| member.play).collect();
    let tick =
        json!({ "server_id": "full", "place_id": 11, "universe_id": 12, "sequence": 1, "players": players });
    deployment.api().post("/play/servers/tick", tick).await.ok();
    for player in &players[..30] {
        let command = json!({ "type": "message", "target_id": player, "reason": "word ".repeat(100) });
        deployment.api().post("/play/servers/full/commands", command).await.ok();
    }
    let server = console.get(&format!("{root}/servers/full")).await;
    server.shows(200, "120 players by name").shows(200, "Load more");
    let later = console.get(&server.link("Later players")).await;
    assert_eq!([&server, &later].map(|page| page.each("#players tbody tr", |_| ()).len()), [25, 25]);
    assert_eq!(console.get(&later.link("Earlier players")).await.texts("caption"), server.texts("caption"));
    pages.push(server);
    for start in [root.as_str(), "/console/instance"] {
        pages.extend(crawl(&console, start, 2).await);
    }
    assert!(pages.iter().any(|page| page.path().contains("/quotas/") && page.contains("Load more")));
    let is_page = |page: &&testkit::console::Page| page.header("content-disposition").is_empty();
    let large = pages.iter().filter(is_page).filter(|page| page.html.len() > PAGE_MAX);
    let large: Vec<_> = large.map(|page| format!("{}: {} bytes", page.what, page.html.len())).collect();
    assert!(large.is_empty(), "{large:#?}");
}

/// Staff, quotas that cover all of them, leave, strikes, notes, bans, servers and a long audit log.
async fn fill(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api());
    for name in ["a", "b", "c", "d", "e"] {
        let quota = json!({ "name": name, "metric": "ban", "target": 5, "period": "week" });
        api.post(&format!("/guilds/{}/staff/quota", guild.id), quota).await.ok();
    }
    let owner: i64 = guild.members[0].chat.parse().unwrap();
    let role: i64 = guild.roles[3].parse().unwrap();
    let (at, later): (DateTime<Utc>, DateTime<Utc>) =
        ("2026-04-12T12:00:00Z".parse().unwrap(), "2040-04-12T12:00:00Z".parse().unwrap());
    let said = "spam in the lobby after three warnings by different moderators";
    let detail = json!({ "staff_id": guild.members[1].chat, "reason": said, "severity": 2 });
    let tables: [(&str, &str, Vec<Value>); 8] = [
        ("staff_member (chat_id, role_id, joined_at", "chat_id, ?, ?", vec![role.into(), at.into()]),
        (
            "strike (staff_id, reason, severity, issued_by, created_at, expires_at",
            "chat_id, ?, 2, ?, ?, ?",
            vec![said.into(), owner.into(), at.into(), later.into()],
        ),
        (
            "staff_note (staff_id, author_id, body, created_at, updated_at",
            "chat_id, ?, ?, ?, ?",
            vec![owner.into(), said.into(), at.into(), at.into()],
        ),
        (
            "loa (staff_id, starts_at, ends_at, reason, status, created_at",
            "chat_id, ?, ?, ?, 'active', ?",
            vec![at.into(), later.into(), said.into(), at.into()],
        ),
        (
            "leave_request (staff_id, starts_at, ends_at, reason, state, created_at",
            "chat_id, ?, ?, ?, 'requested', ?",
            vec![at.into(), later.into(), said.into(), at.into()],
        ),
        (
            "sanction (kind, play_id, reason, moderator_id, created_at, mirror_state, revision",
            "'ban', play_id, ?, chat_id, ?, 'none', chat_id",
            vec![said.into(), at.into()],
        ),
        (
            "audit_entry (action, source, actor_id, target_id, metadata, created_at",
            "'strikes.create', 'service', chat_id, '7', ?, ?",
            vec![detail.into(), at.into()],
        ),
        (
            "game_server (server_id, place_id, universe_id, player_count, first_seen_at, last_heartbeat_at",
            "play_username, 11, 12, 30, ?, ?",
            vec![at.into(), at.into()],
        ),
    ];
    for (columns, values, mut bound) in tables {
        // Members who are staff by the fixture keep their place.
        let text = format!(
            "INSERT INTO {columns}, guild_id) SELECT {values}, guild_id FROM link WHERE guild_id = ? AND chat_id > ? \
             ORDER BY chat_id LIMIT {STAFF}"
        );
        let last: i64 = guild.members[10].chat.parse().unwrap();
        bound.extend([guild.id.parse::<i64>().unwrap().into(), last.into()]);
        assert_eq!(sql(deployment, &text, bound).await, STAFF as u64, "{columns}");
    }
}
