//! The last output of the demo: its key, and commands to try on it.

use super::environment::Environment;

pub(super) fn lines(env: &Environment, stops: bool) -> String {
    let (api, simulator, guild) = (&env.api.base, &env.simulator.base, env.expected.guild);
    let member = env.expected.first_member().map_or_else(String::new, |id| id.to_string());
    let newcomer = &env.expected.newcomer;
    let auth = "-H \"X-API-Key: $KEY\"";
    let json = "-H 'Content-Type: application/json'";
    let until = if stops { "(it ends now: --exit)" } else { "until Ctrl-C" };
    format!(
        "\nThe key of this run, and requests to paste into a second terminal:\n\n\
         KEY={}\n\n\
         # the game account of a chat user\n\
         curl -sw '\\n' {auth} {api}/lookup/chat/{member}\n\n\
         # remove all roles of a member on the chat platform, then sync that member\n\
         curl -sw '\\n' -d '{{\"guild_id\":\"{guild}\",\"chat_id\":\"{member}\",\"roles\":[]}}' {simulator}/control/members\n\
         curl -sw '\\n' {auth} {json} -d '{{\"user_id\":\"{member}\"}}' {api}/interactions/sync\n\n\
         # jobs, and the audit log\n\
         curl -sw '\\n' {auth} {api}/guilds/{guild}/jobs\n\
         curl -sw '\\n' {auth} '{api}/guilds/{guild}/audit-logs?limit=5'\n\n\
         Serving on {api} {until}. This link signs you in to the console, once, within ten minutes:\n\n\
         {}\n\n\
         Play a member who is not linked yet, in the simulated chat and game, and on that member's page. Open the page in a\n\
         private window, and sign in there as {newcomer}:\n\n\
         {simulator}/client?guild={guild}&user={newcomer}\n\
         {api}/link/{guild}\n\n\
         For another link into the console, paste this into a second terminal:\n\n\
         {}",
        env.key.reveal(),
        env.console,
        env.link_command(),
    )
}
