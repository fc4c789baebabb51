//! Access ends with a person's rights: at once with the staff role, within a minute with the platform's.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{Deployment, Mode, eventually, in_turn, run_shared};

use super::set_permissions;
use testkit::console::Console;

in_turn!(
    a_staff_role_that_is_taken_away_ends_at_once,
    while_the_platform_is_away_known_people_stay_and_others_are_told,
);

/// docs/rules.md 10.
const FELT_WITHIN: Duration = Duration::from_secs(60);

async fn a_staff_role_that_is_taken_away_ends_at_once(deployment: &Deployment) {
    let (guild, member) = (deployment.guild(), &deployment.guild().members[1].chat);
    let path = format!("/console/guilds/{}", guild.id);
    let bindings = format!("{path}/bindings");
    let console = Console::of(deployment, guild, member).await;
    set_permissions(deployment, &["bindings.read"]).await;
    let page = console.get(&bindings).await;
    page.shows(200, "Captain");
    // Without the permission to write there is no form, and its address does not exist.
    assert!(!page.contains("Remove binding") && !page.contains("Add binding"), "{}", page.text());
    console.post(&bindings, &[]).await.shows(404, "There is no such page");
    set_permissions(deployment, &[]).await;
    console.get(&bindings).await.shows(404, "There is no such page");
    let home = console.get(&path).await;
    assert!(home.status == 200 && !home.links().contains(&bindings), "{}", home.text());
    deployment.api().delete(&format!("/guilds/{}/staff/members/{member}", guild.id)).await.ok();
    console.get(&path).await.shows(404, "There is no such page");
}

async fn while_the_platform_is_away_known_people_stay_and_others_are_told(deployment: &Deployment) {
    let guild = deployment.guild();
    let path = format!("/console/guilds/{}", guild.id);
    let known = Console::owner(deployment).await;
    known.get(&path).await.shows(200, "Guild");
    let other = Console::of(deployment, guild, &guild.members[12].chat).await;
    deployment.fault(json!({ "route": "*", "status": 503, "count": 1000 })).await;
    known.get(&path).await.shows(200, "Guild");
    let page = other.get(&path).await;
    page.shows(503, "Try again");
    assert!(page.contains("Request"), "{}", page.text());
    deployment.clear_faults().await;
    eventually("the platform is asked again", Duration::from_secs(40), async || {
        (other.get(&path).await.status == 404).then_some(())
    })
    .await;
}

/// The platform's rights are cached for 45 s, so this waits, in one mode.
#[test]
fn rights_of_the_platform_end_within_a_minute() {
    run_shared(Mode::Embedded, async |deployment| {
        let (guild, member) = (deployment.guild(), &deployment.guild().members[13].chat);
        let path = format!("/console/guilds/{}", guild.id);
        let roles = |roles: &[&str]| json!({ "guild_id": guild.id, "chat_id": member, "roles": roles });
        deployment.simulator.change_member(roles(&[&guild.privileged_role])).await;
        let console = Console::of(deployment, guild, member).await;
        console.get(&path).await.shows(200, "Guild");
        deployment.simulator.change_member(roles(&[])).await;
        let taken = Instant::now();
        eventually("the rights end", FELT_WITHIN, async || {
            (console.get(&path).await.status == 404).then_some(())
        })
        .await;
        assert!(taken.elapsed() < FELT_WITHIN);
        console.post(&format!("{path}/bindings"), &[]).await.shows(404, "There is no such page");
    });
}
