//! The community lives while the demo serves: what happens on the platforms is followed by events and by passes.

use serde_json::json;

use super::environment::Environment;
use super::expected::Expected;
use crate::output;

/// Between two passes, minutes: what happens in the game is seen soon.
const PASS_INTERVAL: u32 = 1;
/// The owner and staff after the owner, whom the console shows and the printed commands change.
const SPARED: usize = 6;

pub(super) fn announce(env: &Environment, rate: u32) -> anyhow::Result<()> {
    output::print(&format!(
        "then the community lives, with {rate} changes an hour: members join, leave, are promoted, renamed, and changed by others;\n\
         events repair at once what happens in the chat, a pass each minute what happens in the game; what happened so far:\n\
         {}/control/life",
        env.simulator.base
    ))
}

/// Lets passes start, which none did before, and the community live. The caller reads the events.
pub(super) async fn begin(env: &Environment, rate: u32) -> anyhow::Result<()> {
    let Expected { guild, members, newcomer, .. } = &env.expected;
    let every = json!({ "every_minutes": PASS_INTERVAL });
    env.api.patch(&format!("/guilds/{guild}/follow"), &every).await?;
    let spared = members.iter().take(SPARED).map(|member| member.chat_id).chain([*newcomer]);
    let life = json!({ "changes_an_hour": rate, "spare": spared.collect::<Vec<_>>() });
    env.simulator.post("/control/life", &life).await.map(drop)
}
