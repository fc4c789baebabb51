//! Members link by each way, once each; a link that a kill cuts is left as it is. Afterwards, without kills, whoever is not
//! linked goes on or begins anew, and what is stored and shown is compared.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::console::with_both_platforms;
use testkit::{Deployment, Member, Mode, Setup, eventually, http_client, run_unstarted};

use super::outcome::{agrees, is_linked, settled};
use super::victims::{keep_killing, replace_all};
use super::ways::{Linker, WAYS};

/// Links, for a longer run.
const LINKS: &str = "GUILDHALL_LINKS";
const FEW: usize = 35;
/// Members who never link: staff, who link others, and some besides.
pub(super) const STAFF: usize = 4;
const OTHERS: usize = 4;
const AT_ONCE: usize = 4;
const STARTS_WITHIN: Duration = Duration::from_secs(60);

#[test]
fn leave_no_half_link() {
    leave_no_half_link_in(Mode::Distributed);
}

#[test]
fn of_serve_leave_no_half_link() {
    leave_no_half_link_in(Mode::Embedded);
}

fn leave_no_half_link_in(mode: Mode) {
    let links = std::env::var(LINKS).ok().and_then(|links| links.parse().ok()).unwrap_or(FEW);
    let setup = with_both_platforms(Setup::new(mode)).members(STAFF + links + OTHERS);
    let setup = setup.env("GUILDHALL_TRUSTED_PROXIES", "127.0.0.0/8");
    run_unstarted(setup, async |deployment| {
        let members = &deployment.guild().members[STAFF..STAFF + links];
        nobody_is_linked(deployment).await;
        replace_all(deployment, 0).await;
        let ways = json!({ "link_ways": ["code", "profile", "connection", "sign_in"] });
        let settings = format!("/guilds/{}/settings", deployment.guild().id);
        deployment.api().patch(&settings, ways).await.ok();
        staff_may_link(deployment).await;
        let linker = Linker::of(deployment, links).await;

        let (begun, over) = (Cell::new(0), Cell::new(false));
        let load = async {
            let cut = link_once(&linker, members, &begun).await;
            over.set(true);
            cut
        };
        let (cut, killed) = tokio::join!(load, keep_killing(deployment, &begun, &over));
        println!("{links} links begun, {cut} cut, {killed} processes killed");
        assert!(cut > 0 && killed > links / 10, "too few kills to show anything");

        replace_all(deployment, 1).await;
        let left = finish(&linker, members).await;
        println!("{left} links finished or begun anew");
        settled(deployment, members).await;
        agrees(deployment, members).await;
    });
}

/// Several, because links count against a limit of the person.
async fn staff_may_link(deployment: &Deployment) {
    let guild = deployment.guild();
    let role = json!({ "role_name": "Linker", "permissions": ["lookup.read", "links.write"] });
    let at = format!("/guilds/{}/staff/roles/{}", guild.id, guild.roles[3]);
    deployment.api().send(Method::PUT, &at, Some(role)).await.ok();
}

/// Takes away the fixture's links, and what came from them.
async fn nobody_is_linked(deployment: &Deployment) {
    let guild = deployment.guild();
    deployment.execute(&format!("DELETE FROM link WHERE guild_id = {}", guild.id)).await;
    for member in &guild.members[STAFF..] {
        let bare = json!({ "guild_id": guild.id, "chat_id": member.chat, "roles": [], "nick": null });
        deployment.simulator.change_member(bare).await;
    }
}

/// Returns how many were cut: whatever a dying process answers, or does not.
async fn link_once(linker: &Linker<'_>, members: &[Member], begun: &Cell<usize>) -> usize {
    let links = stream::iter(members.iter().zip(WAYS.iter().cycle())).map(async |(member, way)| {
        is_up(linker.deployment).await;
        begun.set(begun.get() + 1);
        AssertUnwindSafe(linker.link(*way, member)).catch_unwind().await.is_err()
    });
    links.buffer_unordered(AT_ONCE).filter(|cut| std::future::ready(*cut)).count().await
}

/// Waits for an API process, which may have just been killed.
async fn is_up(deployment: &Deployment) {
    let http = http_client();
    eventually("an api answers", STARTS_WITHIN, async || {
        let url = format!("{}/health/ready", deployment.api_base(0));
        let report: Value = http.get(url).send().await.ok()?.json().await.ok()?;
        (report["status"] == "ready").then_some(())
    })
    .await;
}

/// Links whoever is not linked yet. Returns their number.
async fn finish(linker: &Linker<'_>, members: &[Member]) -> usize {
    let mut left = 0;
    for (member, way) in members.iter().zip(WAYS.iter().cycle()) {
        if !is_linked(linker.deployment, member).await {
            left += 1;
            linker.go_on(*way, member).await;
            assert!(is_linked(linker.deployment, member).await, "{way:?}: {}", member.chat);
        }
    }
    left
}
