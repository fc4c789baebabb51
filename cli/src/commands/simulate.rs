//! `guildhall simulate`: simulates both platforms from a fixture file, for tests and trials.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use runtime::{Shutdown, bind};
use simulator::{Application, Credentials, RateLimit, SimulatorOptions, SimulatorState};

use crate::fixture::DEMO;
use crate::input::Input;
use crate::output;

const LISTEN: &str = "GUILDHALL_SIMULATE_LISTEN";
/// Changes an hour, if no number is given: whoever looks at a list sees it move.
pub(crate) const LIFE_RATE: &str = "360";
pub(crate) const MAX_LIFE_RATE: i64 = 360_000;

/// Serves the chat and the game platform from a fixture file: with the wire formats, rate limits and errors of the real ones.
///
/// Point Guildhall at it with `GUILDHALL_CHAT_API_URL` and `GUILDHALL_PLAY_API_URL`. `GET /control/routes` lists what it
/// serves, `GET /control/stats` counts the requests. It changes its state in memory only, never the file.
///
/// `POST /control/faults` sets what a route answers next, `count` times (1): `{"route": "GET /guilds/:guild/members/:user",
/// "status": 500, "count": 3}`. `route` may be `*`, and `guild_id` limits it to one guild. Beside `status` (400 to 599; with the chat platform's `code`, or
/// `retry_after` and `global` for a 429) there are
/// `hang_ms` (a delay), `huge_bytes` (the size of the body; with `"content_length": true` a header announces it),
/// `"served": true` (the request takes effect first) and, for the routes of sign-ins, `flaw`: an answer that a client must
/// refuse. `DELETE /control/faults` removes all of them.
///
/// Flaws of `POST /oauth2/authorize` and `POST /oauth/v1/authorize`: `denied`, `wrong_state`, `expired_code`. Those of
/// `POST /oauth/v1/token`: `wrong_nonce`, `wrong_issuer`, `wrong_audience`, `expired_token`, `unknown_key`, `wrong_signature`,
/// `unsigned`, `hs256`, `no_id_token`, `bare_id_token` (valid, but without name and age). That of `GET /oauth/v1/userinfo`:
/// `wrong_subject`.
///
/// People sign in at `/oauth2/authorize`: the page lets them be any chat account of the fixture. The application's id
/// and secret are `guildhall-demo` and `guildhall-demo-secret`, unless flags say otherwise. With the game platform they sign
/// in at `/oauth/v1/authorize`, where these are `guildhall-demo-play` and `guildhall-demo-play-secret`.
///
/// `POST /control/connections` with `{"chat_id": "1", "connections": [{"type": "roblox", "id": "2", "name": "n",
/// "verified": true, "revoked": false}]}` sets the connections of a chat account. `POST /control/profiles` with `{"play_id": 2,
/// "description": "…", "created_at": "2020-01-01T00:00:00Z"}` sets the profile of a game account. `POST /control/keys` with
/// `{"withdraw": false}` lets another key sign ID tokens; with `true` the earlier keys are withdrawn.
///
/// Interactions are signed with a constant key, whose public one is
/// `7c112e9d2ea806fd1ebbc86c89b548b6651e7825af36c7a1ab7a4a4101ead9e7`. They go to the endpoint that `PATCH /applications/@me`
/// sets, with `interactions_endpoint_url`; without one to the event stream as `INTERACTION_CREATE`, unsigned, and the answer comes by
/// `POST /interactions/ID/TOKEN/callback`. `POST /control/interactions` sends one as a person, waits at most three seconds, and answers with
/// `interaction_id`, `message_id`, `status`, `took_ms` and `answer`. The person types a command: `{"guild_id": "1", "user_id": "2",
/// "command": "setup button", "options": {}}` (`channel_id`: `general` if absent), presses a button: `{"user_id": "2", "message_id": "3",
/// "press": "custom_id"}` (a select with `values`), or submits the modal that an interaction was answered with: `{"user_id": "2",
/// "interaction_id": "4", "submit": "custom_id", "fields": {"name": "text"}}` (of a select or boxes a list of values). With `flaw` the signature is one that must be
/// refused: `wrong_signature`, `no_signature`, `old_timestamp`, `changed_body`, `other_key`, or `replayed` (sent twice; `statuses`
/// has both).
///
/// `GET /control/interactions/ID` shows the answer as the person sees it now, and why it `failed`. `DELETE
/// /control/interactions/ID/token` ends its 15 minutes. `GET /control/messages?chat_id=ID` lists direct messages,
/// `?channel_id=ID` those of a channel; each guild has a channel `general` with the id of the guild. `POST /control/direct-messages` with
/// `{"chat_id": "2", "closed": true}` makes a person take none. `POST /control/application` sets `redirect_uris`, and
/// `interactions_endpoint_url` without a PING (`""`: none).
///
/// `/client?guild=ID&user=ID` is a page on which you play the chat client as any member: it shows messages, and has commands,
/// buttons, selects and modals as forms. Its part "In the game" plays a player, by name: it sends codes to `POST
/// /links/confirm`, and edits the text of the player's profile. `POST /control/game` with `{"api_url": "http://127.0.0.1:8080", "key":
/// "gh_…"}` says once where codes are sent, on this machine only, and with which key.
///
/// Pictures are at `/avatars/USER/FILE` and `/icons/GUILD/FILE` of the chat platform, and at the addresses that
/// `GET /v1/users/avatar-headshot` answers for game accounts; `POST /v1/usernames/users` finds these by name. `GET /v1/games`
/// names universes.
///
/// The event stream is where `GET /gateway/bot` says. `POST /control/gateway` faults it: `{"cut": true}`, `{"reconnect": true}` and
/// `{"invalidate": true}` once; `refuse` (connections), `deaf` (to heartbeats), `double` and `reorder` (so many of the next events),
/// `shards`, `heartbeat_ms` and `identifies_left` until they are set again. `GET /control/gateway` counts what clients did.
/// `POST /control/bans` with `{"guild_id": "1", "chat_id": "2", "by": "3", "reason": "raid"}` bans somebody as a moderator does, with
/// `"lift": true` lifts the ban. `POST /control/members` changes members (`pending`: not screened yet), `POST /control/roles` with `{"guild_id": "1", "role_id": "2",
/// "position": 3}` moves a role, with `"remove": true` deletes it.
///
/// With `--life` the communities live: members join, leave, are promoted, demoted and renamed, join and leave the game group, and others
/// than the bot give and take roles and change nicknames, but of owners and bots. `POST /control/life` with `{"steps": 60}` makes so many
/// changes at once and answers with them, `{"changes": […]}` makes those that such an answer has, `{"changes_an_hour": 60}` sets the pace (0: none),
/// `{"spare": ["1"]}` names chat users whom it leaves alone, and `{"seed": 1}` begins the same changes anew. `GET /control/life` counts
/// them by kind, and shows the last ones and what the bot undid of others: roles without a binding in the fixture, and everything of
/// members without a link there.
///
/// `POST /control/intents` with `{"guild_members": false}` turns off the privileged intent, and with it the member list.
/// `GET /control/chat/guilds/GUILD/audit-log` lists each change with its reason.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address and port to serve on
    #[arg(long, env = LISTEN, value_name = "ADDRESS", default_value = "127.0.0.1:9000", value_parser = runtime::parse_address)]
    listen: SocketAddr,
    /// Fixture file with the parts `chat` and `play`; `-` for standard input [default: the community of `guildhall demo`]
    #[arg(long, env = "GUILDHALL_SIMULATE_STATE", value_name = "FILE")]
    state: Option<Input>,
    /// Print the community of `guildhall demo` and end: `guildhall seed -` reads it, so that both know the same guild
    #[arg(long, env = "GUILDHALL_SIMULATE_PRINT_STATE", conflicts_with = "state")]
    print_state: bool,
    /// Rate limits to apply: `discord` (those of the real hosts, as observed), `fast` (only the 50 chat requests a second) or `off`
    #[arg(long, env = "GUILDHALL_SIMULATE_RATE_LIMIT", value_name = "LIMITS", default_value = "discord")]
    rate_limit: RateLimit,
    /// The only bot token the chat platform accepts [default: any that comes as `Authorization: Bot ...`]
    #[arg(long, env = "GUILDHALL_SIMULATE_CHAT_TOKEN", value_name = "TOKEN")]
    chat_token: Option<String>,
    /// The only key the game platform accepts [default: any]
    #[arg(long, env = "GUILDHALL_SIMULATE_PLAY_KEY", value_name = "KEY")]
    play_key: Option<String>,
    /// Id of the application that people sign in with, at `/oauth2/authorize`
    #[arg(long, env = "GUILDHALL_SIMULATE_CHAT_CLIENT_ID", value_name = "ID", default_value = Application::DEMO_ID)]
    chat_client_id: String,
    /// Secret of that application
    #[arg(long, env = "GUILDHALL_SIMULATE_CHAT_CLIENT_SECRET", value_name = "SECRET", default_value = Application::DEMO_SECRET)]
    chat_client_secret: String,
    /// Id of the application that people sign in with on the game platform, at `/oauth/v1/authorize`
    #[arg(long, env = "GUILDHALL_SIMULATE_PLAY_CLIENT_ID", value_name = "ID", default_value = Application::PLAY_DEMO_ID)]
    play_client_id: String,
    /// Secret of that application
    #[arg(long, env = "GUILDHALL_SIMULATE_PLAY_CLIENT_SECRET", value_name = "SECRET", default_value = Application::PLAY_DEMO_SECRET)]
    play_client_secret: String,
    /// Latency of each request, milliseconds
    #[arg(long, env = "GUILDHALL_SIMULATE_LATENCY_MS", value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=60_000))]
    latency_ms: u64,
    /// Random additional latency of up to this much in each direction, milliseconds
    #[arg(long, env = "GUILDHALL_SIMULATE_JITTER_MS", value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=60_000))]
    jitter_ms: u64,
    /// Changes an hour that happen by themselves; without a number 360, one in ten seconds [default: none]
    #[arg(long, env = "GUILDHALL_SIMULATE_LIFE", value_name = "RATE", num_args = 0..=1, default_missing_value = LIFE_RATE, value_parser = clap::value_parser!(u32).range(1..=MAX_LIFE_RATE))]
    life: Option<u32>,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    if args.print_state {
        return output::print(DEMO.trim_end());
    }
    let shutdown = Shutdown::on_signals(Duration::ZERO);
    let listener = bind(args.listen, LISTEN).await?;
    let state = tokio::task::spawn_blocking(move || read(args.state.as_ref())).await??;
    let (guilds, members, ranked) = state.size();
    let address = listener.local_addr()?;
    output::print(&format!(
        "simulating {} with {members} chat members and {ranked} group members on http://{address}\n\
         GUILDHALL_CHAT_API_URL=http://{address} GUILDHALL_PLAY_API_URL=http://{address} \
         GUILDHALL_CHAT_TOKEN=any GUILDHALL_PLAY_KEY=any",
        output::count(guilds, "guild"),
    ))?;
    let options = SimulatorOptions {
        rate_limit: args.rate_limit,
        credentials: Credentials { chat_token: args.chat_token, play_key: args.play_key },
        application: Application::new(args.chat_client_id, args.chat_client_secret),
        play_application: Application::new(args.play_client_id, args.play_client_secret),
        latency: Duration::from_millis(args.latency_ms),
        jitter: Duration::from_millis(args.jitter_ms),
        life: args.life.unwrap_or(0),
    };
    simulator::serve(listener, state, options, shutdown.soft().clone())
        .await
        .context("the simulator cannot serve")
}

fn read(file: Option<&Input>) -> anyhow::Result<SimulatorState> {
    Ok(match file {
        Some(file) => SimulatorState::parse(&file.read()?, &file.to_string())?,
        None => SimulatorState::parse(DEMO.as_bytes(), "the demo's community")?,
    })
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::*;

    #[test]
    fn the_help_names_the_public_key() {
        let command = Args::augment_args(clap::Command::new("simulate"));
        let about = command.get_long_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.contains(Application::PUBLIC_KEY), "{about}");
    }
}
