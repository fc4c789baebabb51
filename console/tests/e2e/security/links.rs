//! Links of `guildhall console link`: one use, ten minutes, and no reuse of the browser's cookie.

use futures_util::future::join_all;
use reqwest::Method;
use runtime::Clock;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use testkit::{Deployment, in_turn};

use super::sql;
use testkit::console::SESSION;
use testkit::console::{Console, link};

in_turn!(
    a_link_works_once_and_reading_it_uses_nothing_up,
    of_two_at_once_one_is_signed_in,
    a_link_ends_after_ten_minutes,
    a_cookie_from_before_is_not_adopted,
    a_link_opens_its_own_guild_for_its_own_person,
    without_a_bot_token_the_stored_decision_of_a_link_counts(|setup| setup.env("GUILDHALL_CHAT_TOKEN", "")),
);

async fn of_owner(deployment: &Deployment) -> String {
    link(deployment, &deployment.guild().id, &deployment.guild().members[0].chat, &[]).await
}

async fn a_link_works_once_and_reading_it_uses_nothing_up(deployment: &Deployment) {
    let (console, path) = (Console::new(deployment), of_owner(deployment).await);
    for _ in 0..3 {
        let page = console.get(&path).await;
        page.shows(200, "It works once.");
        assert!(console.cookie(SESSION).is_none());
    }
    console.send(Method::HEAD, &path, &[], &[]).await;
    console.sign_in(&path).await;
    assert!(console.cookie(SESSION).is_some());
    let late = Console::new(deployment);
    late.get(&path).await.shows(404, "has been used, or is older than ten minutes");
    late.send(Method::POST, &path, &[], &[]).await.shows(404, "has been used");
    assert!(late.cookie(SESSION).is_none());
    let known = path.rsplit('/').next().unwrap();
    for wrong in
        [known.to_uppercase(), known[1..].to_owned(), format!("{known}0"), "%00".to_owned(), "..".to_owned()]
    {
        let page = late.send(Method::POST, &format!("/console/link/{wrong}"), &[], &[]).await;
        // Two dots lead to a page that takes no form.
        assert_eq!(page.status, if wrong == ".." { 405 } else { 404 }, "{wrong}");
    }
}

async fn of_two_at_once_one_is_signed_in(deployment: &Deployment) {
    let path = of_owner(deployment).await;
    let browsers: Vec<_> = (0..6).map(|_| Console::new(deployment)).collect();
    let posts = browsers.iter().map(|console| console.send(Method::POST, &path, &[], &[]));
    let mut statuses: Vec<_> = join_all(posts).await.iter().map(|page| page.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 404, 404, 404, 404, 404]);
    assert_eq!(browsers.iter().filter(|console| console.cookie(SESSION).is_some()).count(), 1);
}

async fn a_link_ends_after_ten_minutes(deployment: &Deployment) {
    let (console, path) = (Console::new(deployment), of_owner(deployment).await);
    let guild = deployment.guild().id.parse::<i64>().unwrap();
    let (connection, now) = (deployment.connect().await, Clock::system().now());
    let of_guild = entities::console_link::Column::GuildId.eq(guild);
    let rows = entities::console_link::Entity::find().filter(of_guild).all(&connection).await.unwrap();
    connection.close().await.unwrap();
    let left = (rows[0].expires_at - now).num_seconds();
    assert!((590..=600).contains(&left), "{left} s");
    let late = "UPDATE console_link SET expires_at = ? WHERE guild_id = ?";
    sql(deployment, late, vec![(now - chrono::TimeDelta::seconds(1)).into(), guild.into()]).await;
    let late = console.get(&path).await;
    late.shows(404, "older than ten minutes").shows(404, "guildhall console link --guild YOUR_SERVER_ID");
    console.send(Method::POST, &path, &[], &[]).await.shows(404, "older than ten minutes");
    assert!(console.cookie(SESSION).is_none());
}

async fn a_cookie_from_before_is_not_adopted(deployment: &Deployment) {
    let (console, path) = (Console::new(deployment), of_owner(deployment).await);
    let planted = "a".repeat(64);
    console.set_cookie(SESSION, &planted);
    console.sign_in(&path).await;
    let given = console.cookie(SESSION).unwrap();
    assert_ne!(given, planted);
    let attacker = Console::new(deployment);
    attacker.set_cookie(SESSION, &planted);
    attacker.get("/console/sessions").await.asks_to_sign_in();
    // A second sign-in gives a second secret, and the secret of the link does not work as one.
    console.sign_in(&of_owner(deployment).await).await;
    assert_ne!(console.cookie(SESSION).unwrap(), given);
    attacker.set_cookie(SESSION, path.rsplit('/').next().unwrap());
    attacker.get("/console/sessions").await.asks_to_sign_in();
}

async fn a_link_opens_its_own_guild_for_its_own_person(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    // The owner of the other guild, in the first: neither staff nor admin there, and the link gives no rights
    // in their own.
    let console = Console::of(deployment, guild, &other.members[0].chat).await;
    console.get(&format!("/console/guilds/{}", guild.id)).await.shows(404, "There is no such page");
    console.get(&format!("/console/guilds/{}", other.id)).await.shows(404, "There is no such page");
    // The command prints what is stored.
    let connection = deployment.connect().await;
    for (member, said, admin) in [
        (0, "It makes an admin: the person manages", true),
        (1, "It does not make an admin: the person does not", false),
    ] {
        let user = &guild.members[member].chat;
        let made = deployment.command(&["console", "link", "--guild", &guild.id, "--user", user]).await;
        assert!(made.stderr.contains(said), "{}", made.stderr);
        let of_user = entities::console_link::Column::UserId.eq(user.parse::<i64>().unwrap());
        let rows = entities::console_link::Entity::find().filter(of_user).all(&connection).await.unwrap();
        assert!(rows.iter().all(|row| row.admin == admin) && !rows.is_empty(), "{rows:?}");
    }
    connection.close().await.unwrap();
    let owner = Console::owner(deployment).await;
    let home = owner.get("/console").await;
    assert_eq!(home.location(), format!("/console/guilds/{}", guild.id));
    // The link's text is not stored or logged.
    let entries = deployment.audit("console.link").await;
    assert!(!entries.is_empty() && entries[0]["actor_id"].is_string(), "{entries:?}");
}

async fn without_a_bot_token_the_stored_decision_of_a_link_counts(deployment: &Deployment) {
    let (guild, user) = (deployment.guild(), &deployment.guild().members[1].chat);
    let made = deployment.command(&["console", "link", "--guild", &guild.id, "--user", user]).await;
    assert!(made.stderr.contains("It makes an admin: without a bot token"), "{}", made.stderr);
    let console = Console::of(deployment, guild, user).await;
    let keys = format!("/console/guilds/{}/keys", guild.id);
    console.get(&keys).await.shows(200, "Keys");
    let other = "UPDATE console_session SET admin = ? WHERE user_id = ?";
    sql(deployment, other, vec![false.into(), user.parse::<i64>().unwrap().into()]).await;
    console.get(&keys).await.shows(404, "There is no such page");
}
