//! Lists show people without a link by their platform's name.

use std::time::Duration;

use serde_json::json;
use testkit::{Deployment, Member, eventually, in_turn};

use testkit::console::Console;

// Names are known to the process, not to the guild.
in_turn!(people_without_a_link_have_the_names_of_their_platform_or_ids(own));

const WITHIN: Duration = Duration::from_secs(20);

async fn people_without_a_link_have_the_names_of_their_platform_or_ids(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let list = format!("/console/guilds/{}/moderation/bans", deployment.guild().id);
    // The rights of the owner are cached from now on.
    owner.get(&list).await.shows(200, "Nobody is banned.");
    // They have links in their own guild only.
    let [spammer, moderator, cheater, other, ..] = &deployment.other_guild().members[..] else {
        unreachable!()
    };

    for route in ["POST /v1/users", "GET /guilds/:guild/members/:user"] {
        deployment.fault(json!({ "route": route, "status": 503, "count": 50 })).await;
    }
    ban(deployment, spammer, "spam", moderator).await;
    let row = owner.get(&list).await.row("spam");
    let ids = [format!("Roblox {}", spammer.play), format!("Discord {}", moderator.chat)];
    assert!(ids.iter().all(|id| row.contains(id)), "{row}");

    deployment.clear_faults().await;
    ban(deployment, cheater, "cheats", other).await;
    // A list does not wait long for a platform: the names may appear only at the next request.
    eventually("the names are known", WITHIN, async || {
        let row = owner.get(&list).await.row("cheats");
        (row.contains(&cheater.name) && row.contains(&format!("user{}", other.chat))).then_some(())
    })
    .await;
}

async fn ban(deployment: &Deployment, player: &Member, reason: &str, moderator: &Member) {
    let ban =
        json!({ "identifier": player.play.to_string(), "reason": reason, "moderator_id": moderator.chat });
    deployment.api().post(&format!("/moderation/{}/play/ban", deployment.guild().id), ban).await.ok();
}
