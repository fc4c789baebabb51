//! The last words of the demo: its key, and lines that work when they are pasted.

use super::stage::Stage;

pub(super) fn lines(stage: &Stage, stops: bool) -> String {
    let (api, simulator, guild) = (&stage.api.base, &stage.simulator.base, stage.wanted.guild);
    let member = stage.wanted.first_member().map_or_else(String::new, |id| id.to_string());
    let auth = "-H \"X-API-Key: $KEY\"";
    let json = "-H 'Content-Type: application/json'";
    let until = if stops { "for a moment more: --exit" } else { "until Ctrl-C" };
    format!(
        "\nServing on {api} {until}. The key of this run, and lines to paste:\n\n\
         KEY={}\n\n\
         # who is this chat user in the game?\n\
         curl -sw '\\n' {auth} {api}/lookup/chat/{member}\n\n\
         # take all roles from a member behind Guildhall's back, then sync that one member\n\
         curl -sw '\\n' -d '{{\"guild_id\":\"{guild}\",\"chat_id\":\"{member}\",\"roles\":[]}}' {simulator}/control/members\n\
         curl -sw '\\n' {auth} {json} -d '{{\"user_id\":\"{member}\"}}' {api}/interactions/sync\n\n\
         # jobs, and what was done by whom\n\
         curl -sw '\\n' {auth} {api}/guilds/{guild}/jobs\n\
         curl -sw '\\n' {auth} '{api}/guilds/{guild}/audit-logs?limit=5'",
        stage.key.reveal()
    )
}
