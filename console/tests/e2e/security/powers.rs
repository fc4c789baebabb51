//! No person gains rights: each kind of person tries every way to get roles, keys, rights and sessions, and
//! the stores do not change. The same forms by the owner change them, so the attempts are effective.

use chrono::{DateTime, Utc};
use entities::console_session;
use futures_util::{StreamExt, stream};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use testkit::{Deployment, Guild, in_turn};

use super::{Row, permissions, rows, set_permissions};
use testkit::console::{Console, Page};

in_turn!(
    staff_gain_nothing_by_any_permission,
    who_manages_the_server_gains_no_power_over_it,
    a_link_makes_no_admin_while_the_bot_is_away,
    an_owner_succeeds_where_the_others_fail,
);

/// Forms that are sent at a time.
const AT_ONCE: usize = 6;

/// A form that would give its sender, or another person, more rights than the sender has.
struct Attempt {
    page: String,
    fields: Vec<(&'static str, String)>,
}

fn attempt(page: &str, fields: &[(&'static str, &str)]) -> Attempt {
    let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Attempt { page: page.to_owned(), fields }
}

/// What an admin by Manage Server may not do either: roles at or above their own, and keys that grant roles.
fn beyond_managers(guild: &Guild, own: &str, friend: &str, bindings: &Bindings) -> Vec<Attempt> {
    let (group, rank) = (guild.group.to_string(), guild.members[1].rank.to_string());
    let powerful = guild.privileged_role.as_str();
    let admin_key = &guild.admin_key[3..11];
    let (me, them) = (format!("/members/{own}/roles/give"), format!("/members/{friend}/roles/give"));
    let settings = [
        ("nickname_template", "{play_username}"),
        ("time_zone", "UTC"),
        ("week_start", "1"),
        ("strike_days", "90"),
        ("mirror_bans", "yes"),
        ("mirror_bans_per_hour", "30"),
        ("link_min_chat_days", "0"),
        ("link_min_play_days", "0"),
        ("link_flagged", "hold"),
        ("link_banned", "hold"),
        ("join_notice", "none"),
        ("accent", "indigo"),
        ("allowed_privileged_roles", powerful),
    ];
    let rules = |role| {
        let mut rules = settings[..settings.len() - 1].to_vec();
        rules.push((role, powerful));
        attempt("/settings", &rules)
    };
    vec![
        attempt("/settings", &settings),
        rules("staff_by_role"),
        rules("verified_role"),
        rules("unverified_role"),
        // Those of an owner have taken it back.
        attempt("/settings", &settings),
        attempt(&me, &[("role_id", powerful)]),
        attempt(&them, &[("role_id", powerful)]),
        attempt("/bindings", &[("group_id", &group), ("rank", &rank), ("role_id", powerful)]),
        attempt(&bindings.low, &[("group_id", &group), ("rank", "241"), ("role_id", powerful)]),
        attempt("/applications/panels", &[("name", "Mine"), ("open", "yes"), ("accept_role_id", powerful)]),
        attempt("/keys", &[("name", "mine"), ("scopes", "admin")]),
        attempt("/keys", &[("name", "mine"), ("scopes", "sync")]),
        attempt("/keys", &[("name", "mine"), ("set", "bot")]),
        attempt(&format!("/keys/{admin_key}/rotate"), &[("overlap_seconds", "0")]),
    ]
}

/// The same, and what only admins may.
fn beyond_staff(guild: &Guild, own: &str, friend: &str, owned: &Owned) -> Vec<Attempt> {
    let (group, rank) = (guild.group.to_string(), guild.members[1].rank.to_string());
    let above = guild.roles[3].as_str();
    let all = permissions().into_iter().collect::<Vec<_>>();
    let mut role = vec![("role_id", above), ("role_name", "Moderator")];
    role.extend(all.iter().map(|name| ("permissions", name.as_str())));
    let (strike, request) = (&owned.strike, &owned.request);
    let bindings = &owned.bindings;
    let mut attempts = beyond_managers(guild, own, friend, bindings);
    attempts.extend([
        attempt(&format!("/members/{own}/roles/give"), &[("role_id", &guild.roles[0])]),
        attempt(&format!("/members/{friend}/roles/give"), &[("role_id", above)]),
        attempt("/bindings", &[("group_id", &group), ("rank", &rank), ("role_id", above)]),
        // To a role above, to more members with one, and away from one.
        attempt(&bindings.low, &[("group_id", &group), ("rank", "242"), ("role_id", above)]),
        attempt(&bindings.high, &[("group_id", &group), ("type", "group_member"), ("role_id", above)]),
        attempt(&bindings.high, &[("group_id", &group), ("rank", "243"), ("role_id", &guild.roles[0])]),
        attempt("/staff", &[("chat_id", own), ("role_id", &guild.high_role)]),
        attempt("/staff", &[("chat_id", friend), ("role_id", &guild.high_role)]),
        attempt("/staff/roles", &role),
        attempt("/keys", &[("name", "mine"), ("scopes", "read")]),
        attempt(&format!("/staff/strikes/{strike}/remove"), &[]),
        attempt(&format!("/staff/strikes/{strike}"), &[("reason", "less"), ("severity", "1")]),
        attempt(&format!("/staff/leave/requests/{request}/approve"), &[]),
        attempt(&format!("/moderation/bans/{}/lift", owned.ban), &[]),
        attempt(&format!("/moderation/bans/{}/lift", owned.ban), &[("all", "yes")]),
        attempt(&format!("/jobs/{}/retry", owned.job), &[]),
        attempt(&format!("/applications/{}/accept", owned.application), &[]),
    ]);
    attempts
}

/// Decisions of others about the person, and a role that was refused to them.
struct Owned {
    strike: String,
    request: String,
    ban: String,
    job: String,
    /// For a panel whose acceptance gives a role.
    application: String,
    bindings: Bindings,
}

/// The pages of bindings of a low role and of the one of staff.
struct Bindings {
    low: String,
    high: String,
}

impl Bindings {
    async fn read(deployment: &Deployment) -> Self {
        let (listed, roles) = (deployment.api().get("/bindings/list").await.ok(), &deployment.guild().roles);
        let page = |role: &str| {
            let all = listed["bindings"].as_array().unwrap();
            let found = all.iter().find(|binding| binding["role_id"] == role);
            format!("/bindings/{}", found.unwrap()["id"])
        };
        Self { low: page(&roles[0]), high: page(&roles[3]) }
    }
}

impl Owned {
    async fn new(deployment: &Deployment, person: &str) -> Self {
        let (api, guild) = (deployment.api(), deployment.guild());
        let of = |path: &str| format!("/guilds/{}/staff/{path}", guild.id);
        let strike = json!({ "staff_id": person, "reason": "late", "severity": 5 });
        let days = json!({ "staff_id": person, "reason": "exams",
                           "starts_at": "2099-05-01T00:00:00Z", "ends_at": "2099-05-15T00:00:00Z" });
        let ban = json!({ "identifier": person, "reason": "r", "moderator_id": guild.members[0].chat, "place_id": 7 });
        let id = |data: Value| data["id"].to_string();
        let assign = json!({ "user_id": person, "role_id": guild.privileged_role });
        api.post("/interactions/roles/assign", assign).await.refused(422, &["Manage Server"]);
        let jobs = api.get(&format!("/guilds/{}/jobs", guild.id)).await.ok();
        let failed =
            jobs["jobs"].as_array().unwrap().iter().find(|job| job["kind"] == "assign_role").unwrap();
        let applications = |rest: &str| format!("/guilds/{}/application-{rest}", guild.id);
        let panel = json!({ "panel_id": 50, "name": "Team", "accept_role_id": guild.roles[0] });
        api.post(&applications("panels"), panel).await.ok();
        let sent = json!({ "panel_id": 50, "chat_id": person });
        let application = api.post(&applications("submissions"), sent).await.ok();
        Self {
            application: application["submission_id"].to_string(),
            strike: id(api.post(&of("strikes"), strike).await.ok()),
            request: id(api.post(&of("leave-requests"), days).await.ok()),
            ban: id(api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok()),
            job: failed["id"].as_str().unwrap().to_owned(),
            bindings: Bindings::read(deployment).await,
        }
    }
}

/// Everything that gives power in the guild: roles on the chat platform, keys, staff and their rights, settings, bindings,
/// sessions; and decisions about a person.
pub(super) async fn powers(deployment: &Deployment, own: &str, friend: &str) -> Value {
    let (guild, mut held) = (deployment.guild(), Vec::new());
    for chat in [own, friend] {
        held.push(deployment.simulator.member(guild, chat).await["roles"].clone());
    }
    let (conn, id) = (deployment.connect().await, guild.id.parse().unwrap());
    let keys = entities::api_key::list(&conn, Some(id)).await.unwrap();
    let staff = entities::staff_directory::list(&conn, id, DateTime::<Utc>::MIN_UTC).await.unwrap();
    let settings = entities::guild::find(&conn, id).await.unwrap().unwrap().settings();
    let bindings = entities::binding::list(&conn, id).await.unwrap();
    let of_guild = console_session::Column::GuildId.eq(guild.id.parse::<i64>().unwrap());
    let sessions = console_session::Entity::find().filter(of_guild).all(&conn).await.unwrap();
    conn.close().await.unwrap();
    let api = deployment.api();
    let list =
        async |path: &str| api.get(&format!("/guilds/{}/staff/{path}?staff_id={own}", guild.id)).await.ok();
    let ban = api.get(&format!("/moderation/{}/ban-status/{own}", guild.id)).await.ok();
    let applications =
        async |rest: &str| api.get(&format!("/guilds/{}/application-{rest}", guild.id)).await.ok();
    json!({
        "panels": applications("panels").await, "applications": applications("submissions").await,
        "roles": held,
        "keys": keys.iter().map(|key| format!("{} {} {:?} {:?}", key.public_id, key.scopes, key.expires_at, key.revoked_at)).collect::<Vec<_>>(),
        "staff": staff.iter().map(|one| format!("{} {} {:?} {:?}", one.chat_id, one.role_id, one.permissions, one.play_permissions)).collect::<Vec<_>>(),
        "settings": settings,
        "bindings": bindings.iter().map(|row| format!("{:?}", row.rule)).collect::<Vec<_>>(),
        "sessions": sessions.iter().map(|row| format!("{} {} {}", row.user_id, row.admin, row.operator)).collect::<Vec<_>>(),
        "strikes": list("strikes").await, "requests": list("leave-requests").await, "ban": ban,
    })
}

async fn make(console: &Console, guild: &Guild, attempt: &Attempt) -> Page {
    let fields: Vec<_> = attempt.fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    console.post(&format!("/console/guilds/{}{}", guild.id, attempt.page), &fields).await
}

/// Makes all attempts: each is refused, and not by a rate limit.
async fn assert_vain(console: &Console, guild: &Guild, attempts: &[Attempt], whom: &str) {
    for attempt in attempts {
        let page = make(console, guild, attempt).await;
        let what = format!("{whom}: {} {:?}: {}", page.what, attempt.fields, page.text());
        assert!([403, 404, 409, 422].contains(&page.status), "{} {what}", page.status);
        assert!(!page.contains("rate limit"), "{what}");
    }
}

async fn staff_gain_nothing_by_any_permission(deployment: &Deployment) {
    let guild = deployment.guild();
    let (own, friend) = (&guild.members[1].chat, &guild.members[10].chat);
    let owned = Owned::new(deployment, own).await;
    let console = Console::of(deployment, guild, own).await;
    let attempts = beyond_staff(guild, own, friend, &owned);
    // Everybody may end their own link, and loses roles by it.
    let is_asked = |row: &Row| row.is_of_guild() && row.is_post() && !row.path.ends_with("/unlink");
    let posts: Vec<_> = rows().into_iter().filter(is_asked).collect();
    let all: Vec<_> = permissions().into_iter().collect();
    let each = all.iter().map(|one| vec![one.as_str()]);
    let every = all.iter().map(String::as_str).collect();
    for held in each.chain([vec![], every]) {
        set_permissions(deployment, &held).await;
        let before = powers(deployment, own, friend).await;
        assert_vain(&console, guild, &attempts, &format!("{held:?}")).await;
        // And every other form, with the ids that they know.
        let sent = stream::iter(&posts).for_each_concurrent(AT_ONCE, async |row| {
            let path = row.in_guild(&guild.id).replace("/members/4000000000", &format!("/members/{own}"));
            console.post(&path, &[("role_id", &guild.privileged_role), ("chat_id", own)]).await;
        });
        sent.await;
        assert_eq!(powers(deployment, own, friend).await, before, "{held:?}");
    }
}

async fn who_manages_the_server_gains_no_power_over_it(deployment: &Deployment) {
    let guild = deployment.guild();
    let (own, friend) = (&guild.members[13].chat, &guild.members[10].chat);
    let roles = json!({ "guild_id": guild.id, "chat_id": own, "roles": [guild.privileged_role] });
    deployment.simulator.change_member(roles).await;
    let console = Console::of(deployment, guild, own).await;
    let settings = format!("/console/guilds/{}/settings", guild.id);
    let page = console.get(&settings).await;
    page.shows(200, "Nickname template");
    assert!(!page.html.contains("allowed_privileged_roles"), "{}", page.text());
    let before = powers(deployment, own, friend).await;
    let attempts = beyond_managers(guild, own, friend, &Bindings::read(deployment).await);
    assert_vain(&console, guild, &attempts, "Manage Server").await;
    let forged = make(&console, guild, &attempts[0]).await;
    forged.shows(403, "Powerful roles").shows(403, "Administrator");
    assert_eq!(powers(deployment, own, friend).await, before);
    // They can change their own records.
    let saved = console.press(&page, "Save settings", &[("strike_days", "31")]).await;
    saved.shows(200, "Settings saved.");
    // A key that an operator trusts proves accounts in all guilds.
    let key = &deployment.new_key("play").await[3..11].to_owned();
    deployment.command(&["games", "trust", key]).await.succeeded();
    let rotate = attempt(&format!("/keys/{key}/rotate"), &[("overlap_seconds", "0")]);
    make(&console, guild, &rotate).await.shows(403, "Administrator");
    deployment.command(&["games", "untrust", key]).await.succeeded();
    assert_eq!(make(&console, guild, &rotate).await.status, 200);
}

async fn a_link_makes_no_admin_while_the_bot_is_away(deployment: &Deployment) {
    let guild = deployment.guild();
    let (own, friend) = (&guild.members[3].chat, &guild.members[10].chat);
    let owned = Owned::new(deployment, own).await;
    let before = powers(deployment, own, friend).await;
    let console = Console::of(deployment, guild, own).await;
    set_permissions(deployment, &[]).await;
    for (status, code) in [(403, 50_001), (404, 10_004)] {
        deployment.fault(json!({ "route": "*", "status": status, "code": code, "count": 100_000 })).await;
        // Signed in while the bot was in the guild, and by a link that was made since.
        let late = Console::of(deployment, guild, own).await;
        for console in [&console, &late] {
            for page in ["/keys", "/settings", "/first-run"] {
                let page = console.get(&format!("/console/guilds/{}{page}", guild.id)).await;
                page.shows(404, "There is no such page");
            }
            assert_vain(console, guild, &beyond_staff(guild, own, friend, &owned), "without the bot").await;
        }
        deployment.clear_faults().await;
    }
    let mut after = powers(deployment, own, friend).await;
    assert!(
        after["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .all(|session| session.as_str().unwrap().contains("false false"))
    );
    for changed in ["sessions", "staff"] {
        after[changed] = before[changed].clone();
    }
    assert_eq!(after, before);
}

async fn an_owner_succeeds_where_the_others_fail(deployment: &Deployment) {
    let guild = deployment.guild();
    let (own, friend) = (&guild.members[1].chat, &guild.members[10].chat);
    let owned = Owned::new(deployment, own).await;
    let console = Console::owner(deployment).await;
    for attempt in beyond_staff(guild, own, friend, &owned) {
        let page = make(&console, guild, &attempt).await;
        let again = attempt.page.ends_with("/lift") || attempt.page.ends_with("/retry");
        let done = [200, 303].contains(&page.status) || (again && page.status == 409);
        assert!(done, "{} {:?}: {}", page.what, attempt.fields, page.text());
    }
}
