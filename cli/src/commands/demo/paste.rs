//! The last words of the demo: its key, and lines that work when they are pasted.

use super::stage::Stage;

pub(super) fn lines(stage: &Stage) -> String {
    let (api, simulator, guild) = (&stage.api.base, &stage.simulator.base, stage.wanted.guild);
    let member = stage.wanted.first_member().map_or_else(String::new, |id| id.to_string());
    let auth = "-H \"X-API-Key: $KEY\"";
    format!(
        "\nServing on {api} until Ctrl-C. The key of this run, and lines to paste:\n\n\
         KEY={}\n\n\
         # who is this chat user in the game?\n\
         curl -s {auth} {api}/lookup/chat/{member}\n\n\
         # take all roles from a member behind Guildhall's back, then sync that one member\n\
         curl -s -d '{{\"guild_id\":\"{guild}\",\"chat_id\":\"{member}\",\"roles\":[]}}' {simulator}/control/members\n\
         curl -s {auth} -d '{{\"user_id\":\"{member}\"}}' {api}/interactions/sync\n\n\
         # jobs, and what was done by whom\n\
         curl -s {auth} {api}/guilds/{guild}/jobs\n\
         curl -s {auth} '{api}/guilds/{guild}/audit-logs?limit=5'",
        stage.key.reveal()
    )
}
