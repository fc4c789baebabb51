//! Every row of the table of pages for each kind of person: those with the right get it, all others a 404.

use futures_util::{StreamExt, stream};
use reqwest::Method;
use testkit::{Deployment, in_turn};

use super::routes::{Row, Who, permissions, rows};
use super::set_permissions;
use testkit::console::{Console, Page};

in_turn!(
    an_admin_sees_every_page_of_the_own_guild_and_none_of_another,
    staff_see_what_their_permission_opens,
    strangers_see_nothing_and_who_is_signed_out_signs_in,
    pages_of_the_instance_are_for_operators,
);

/// Requests at once.
const AT_ONCE: usize = 4;

/// Asks for each row, a form with its token and no fields.
async fn ask(console: &Console, guild: &str, rows: &[Row]) -> Vec<(Row, Page)> {
    let asked = stream::iter(rows.to_vec()).map(async |row| {
        let path = row.in_guild(guild);
        let page = if row.is_post() { console.post(&path, &[]).await } else { console.get(&path).await };
        (row, page)
    });
    asked.buffered(AT_ONCE).collect().await
}

fn of_guild() -> Vec<Row> {
    rows().into_iter().filter(Row::is_of_guild).collect()
}

/// The page for a person without the right: the same as for a page that does not exist.
async fn assert_hidden(console: &Console, guild: &str, asked: &[(Row, Page)]) {
    let nothing = console.get(&format!("/console/guilds/{guild}/there-is-nothing")).await;
    nothing.shows(404, "There is no such page");
    for (_, page) in asked {
        assert_eq!(page.status, 404, "{}: {}", page.what, page.text());
        let (shown, expected) = (page.without_request_id(), nothing.without_request_id());
        assert_eq!(shown, expected, "{} tells that it is there", page.what);
    }
}

fn assert_shown(asked: &[(Row, Page)], whom: &str) {
    for (row, page) in asked {
        let what = format!("{whom}: {}: {}", page.what, page.text());
        assert!(page.status < 500 && page.status != 403, "{}: {what}", page.status);
        assert!(!page.location().contains("/sign-in"), "{what}");
        // The objects of the parameters do not exist.
        assert!(page.status != 404 || row.names_a_thing(), "404: {what}");
        assert!(row.is_post() || row.names_a_thing() || [200, 303].contains(&page.status), "{what}");
    }
}

async fn an_admin_sees_every_page_of_the_own_guild_and_none_of_another(deployment: &Deployment) {
    let (own, other) = (&deployment.guild().id, &deployment.other_guild().id);
    let console = Console::owner(deployment).await;
    assert_hidden(&console, other, &ask(&console, other, &of_guild()).await).await;
    assert_hidden(&console, "7999999999999999999", &ask(&console, "7999999999999999999", &of_guild()).await)
        .await;
    let (posts, gets): (Vec<_>, Vec<_>) = of_guild().into_iter().partition(Row::is_post);
    assert_shown(&ask(&console, own, &gets).await, "admin");
    assert_shown(&ask(&console, own, &posts).await, "admin");
}

async fn staff_see_what_their_permission_opens(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), &deployment.other_guild().id);
    let console = Console::of(deployment, guild, &guild.members[1].chat).await;
    assert_hidden(&console, other, &ask(&console, other, &of_guild()).await).await;
    for held in permissions().iter().map(Some).chain([None]) {
        set_permissions(deployment, &held.iter().map(|name| name.as_str()).collect::<Vec<_>>()).await;
        let opens = |row: &Row| match &row.who {
            Who::Staff => true,
            Who::Permission(name) => Some(name) == held,
            _ => false,
        };
        let (open, closed): (Vec<_>, Vec<_>) = of_guild().into_iter().partition(opens);
        assert_hidden(&console, &guild.id, &ask(&console, &guild.id, &closed).await).await;
        assert_shown(&ask(&console, &guild.id, &open).await, &format!("staff with {held:?}"));
    }
}

async fn strangers_see_nothing_and_who_is_signed_out_signs_in(deployment: &Deployment) {
    let guild = deployment.guild();
    let stranger = Console::of(deployment, guild, &guild.members[10].chat).await;
    for guild in [guild, deployment.other_guild()] {
        assert_hidden(&stranger, &guild.id, &ask(&stranger, &guild.id, &of_guild()).await).await;
    }
    let nobody = Console::new(deployment);
    for (row, page) in ask(&nobody, &guild.id, &rows()).await {
        if row.who == Who::Open {
            assert!(page.status < 500, "{}: {}", page.what, page.text());
        } else {
            page.asks_to_sign_in();
            assert_eq!(page.html, "", "{}", page.what);
        }
    }
    // A cookie without a session.
    for cookie in ["", "0", &"0".repeat(64), &"z".repeat(64), &"f".repeat(100_000 / 16)] {
        nobody.set_cookie(testkit::console::SESSION, cookie);
        nobody.get(&format!("/console/guilds/{}", guild.id)).await.asks_to_sign_in();
    }
}

async fn pages_of_the_instance_are_for_operators(deployment: &Deployment) {
    let rows: Vec<_> = rows().into_iter().filter(|row| row.who == Who::Operator).collect();
    let owner = Console::owner(deployment).await;
    for row in &rows {
        let method = if row.is_post() { Method::POST } else { Method::GET };
        let token = owner.form_token();
        let page =
            owner.send(method, &row.in_guild(&deployment.guild().id), &[("form_token", &token)], &[]).await;
        page.shows(404, "There is no such page");
    }
    let operator = Console::operator(deployment).await;
    // Posts of the instance would concern other tests.
    let gets: Vec<_> = rows.into_iter().filter(|row| !row.is_post()).collect();
    assert_shown(&ask(&operator, &deployment.guild().id, &gets).await, "operator");
    let other = &deployment.other_guild().id;
    assert_hidden(&operator, other, &ask(&operator, other, &of_guild()).await).await;
}
