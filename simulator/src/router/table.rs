//! The route table: every route of the simulator with its platform, bucket and handler.

use std::time::Duration;

use crate::endpoints::authorize::platforms::{Chat, Play};
use crate::endpoints::control::{conversations, life, linking};
use crate::endpoints::{
    application, authorize, bans, channels, client, commands, control, game, gateway, guild, members,
    messages, pictures, play, play_tokens, players, tokens, webhooks,
};
use crate::handler::{Endpoint, Handler, Pending};
use crate::reply::Reply;
use crate::route::{BucketRule, Input, Route, Side, Window};
use crate::simulator::Simulator;
use crate::stats;

fn chat_route(name: &'static str, bucket: BucketRule, handler: fn(&Simulator, &Input) -> Reply) -> Endpoint {
    Endpoint {
        route: Route { name, side: Side::Chat, bucket: Some(bucket) },
        handler: Handler::Answers(handler),
    }
}

/// `limit` requests in `seconds`, as most routes have.
const fn sliding(name: &'static str, limit: u32, seconds: u64) -> BucketRule {
    BucketRule { name, limit, window: Duration::from_secs(seconds), kind: Window::Sliding }
}

/// Shared by granting and removing one role, separate from other changes of a member (discord-api-docs, issue 7680).
const SINGLE_ROLE: BucketRule = BucketRule {
    name: "b0bb9027ff6ae0c9619c2719f4a24de5",
    limit: 10,
    window: Duration::from_secs(10),
    kind: Window::Fixed,
};
/// discord-api-docs, issue 2204.
const UPDATE_MEMBER: BucketRule = sliding("b6624f93d1e07c52", 10, 10);
/// The other numbers are plausible guesses: clients must learn them from the headers.
const BANS: BucketRule = sliding("7f2e90c41bd8a635", 10, 5);

const READ_COMMANDS: BucketRule = sliding("94ad20be5c81f673", 5, 20);
const PUT_COMMANDS: BucketRule = sliding("d1f6023a9c48be57", 5, 20);

/// A control route that sends a request to the application.
fn calls(name: &'static str, handler: for<'a> fn(&'a Simulator, &'a Input) -> Pending<'a>) -> Endpoint {
    Endpoint { route: Route { name, side: Side::Control, bucket: None }, handler: Handler::Calls(handler) }
}

fn other(name: &'static str, side: Side, handler: fn(&Simulator, &Input) -> Reply) -> Endpoint {
    Endpoint { route: Route { name, side, bucket: None }, handler: Handler::Answers(handler) }
}

pub(super) fn table() -> Vec<Endpoint> {
    [chat(), sign_in(), games(), control()].into_iter().flatten().collect()
}

/// The chat platform for the bot, and its pictures.
fn chat() -> Vec<Endpoint> {
    vec![
        chat_route("GET /users/@me", sliding("9c1b7e2fa0d34586", 30, 30), guild::bot_user),
        chat_route("GET /users/:user", sliding("c47f20ab9e15d863", 30, 30), guild::user),
        chat_route("GET /applications/@me", sliding("6e20d9f1b74ac853", 5, 5), application::read),
        Endpoint {
            route: Route {
                name: "PATCH /applications/@me",
                side: Side::Chat,
                bucket: Some(sliding("0d4be6a1793cf258", 5, 5)),
            },
            handler: Handler::Calls(application::update),
        },
        // The older path of the same route, which some clients still use.
        chat_route("GET /oauth2/applications/@me", sliding("f03b58c7e612d94a", 5, 5), application::read),
        chat_route("GET /gateway/bot", sliding("a8f50b7c21d4e963", 2, 5), gateway::bot),
        chat_route("GET /guilds/:guild", sliding("18ae4b7d93c6f052", 10, 5), guild::one),
        chat_route("GET /guilds/:guild/roles", sliding("41f9a6d05c7be823", 10, 5), guild::roles),
        chat_route(stats::READ_MEMBERS, sliding("d83c05be9417fa62", 10, 5), members::page),
        chat_route("GET /guilds/:guild/members/search", sliding("62b8f1d07ac93e54", 10, 10), members::search),
        chat_route("GET /guilds/:guild/members/:user", sliding("5e07c1aa38d2f694", 5, 1), members::one),
        chat_route(stats::UPDATE_MEMBER, UPDATE_MEMBER, members::update),
        chat_route(stats::ADD_ROLE, SINGLE_ROLE, members::add_role),
        chat_route(stats::REMOVE_ROLE, SINGLE_ROLE, members::remove_role),
        chat_route("GET /guilds/:guild/bans/:user", sliding("ab94e27f50d3c618", 10, 5), bans::one),
        chat_route(stats::BAN, BANS, bans::ban),
        chat_route("DELETE /guilds/:guild/bans/:user", BANS, bans::unban),
        chat_route("GET /guilds/:guild/audit-logs", sliding("c0a7f31b6e29d854", 10, 5), bans::log),
        chat_route("GET /guilds/:guild/channels", sliding("e5518b3d07fc9a26", 10, 5), channels::list),
        chat_route(stats::CREATE_CHANNEL, sliding("23d6af084eb15c97", 10, 15), channels::create),
        chat_route("GET /applications/:app/commands", READ_COMMANDS, commands::list),
        chat_route(stats::PUT_COMMANDS, PUT_COMMANDS, commands::overwrite),
        chat_route("GET /applications/:app/guilds/:guild/commands", READ_COMMANDS, commands::list),
        chat_route(stats::PUT_GUILD_COMMANDS, PUT_COMMANDS, commands::overwrite),
        chat_route("POST /users/@me/channels", sliding("37c1f05be8d2a946", 10, 10), messages::open_direct),
        chat_route("POST /channels/:channel/messages", sliding("80c17d2a203122a9", 5, 5), messages::create),
        other("POST /interactions/:id/:token/callback", Side::Open, webhooks::answer),
        other("GET /webhooks/:app/:token/messages/@original", Side::Open, webhooks::read),
        other("PATCH /webhooks/:app/:token/messages/@original", Side::Open, webhooks::update),
        other("DELETE /webhooks/:app/:token/messages/@original", Side::Open, webhooks::delete),
        other("POST /webhooks/:app/:token", Side::Open, webhooks::create),
        other("GET /avatars/:user/:file", Side::Open, pictures::avatar),
        other("GET /icons/:guild/:file", Side::Open, pictures::icon),
    ]
}

/// Both platforms for people.
fn sign_in() -> Vec<Endpoint> {
    vec![
        other("GET /oauth2/authorize", Side::SignIn, authorize::page::<Chat>),
        other("POST /oauth2/authorize", Side::SignIn, authorize::decide::<Chat>),
        other("POST /oauth2/token", Side::SignIn, tokens::exchange),
        other("POST /oauth2/token/revoke", Side::SignIn, tokens::revoke),
        other("GET /oauth2/@me", Side::SignIn, tokens::authorization),
        // The same route as the bot's, for a person.
        other("GET /users/@me", Side::SignIn, tokens::user),
        other("GET /users/@me/guilds", Side::SignIn, tokens::guilds),
        other("GET /users/@me/connections", Side::SignIn, tokens::connections),
        other("GET /oauth/v1/authorize", Side::PlaySignIn, authorize::page::<Play>),
        other("POST /oauth/v1/authorize", Side::PlaySignIn, authorize::decide::<Play>),
        other("POST /oauth/v1/token", Side::PlaySignIn, play_tokens::exchange),
        other("POST /oauth/v1/token/revoke", Side::PlaySignIn, play_tokens::revoke),
        other("GET /oauth/v1/userinfo", Side::PlaySignIn, play_tokens::userinfo),
        other("GET /oauth/v1/certs", Side::PlaySignIn, play_tokens::certs),
        other("GET /oauth/.well-known/openid-configuration", Side::PlaySignIn, play_tokens::configuration),
    ]
}

/// The game platform for the service.
fn games() -> Vec<Endpoint> {
    vec![
        other("GET /cloud/v2/groups/-/memberships", Side::Cloud, play::memberships),
        other("GET /cloud/v2/groups/:group/memberships", Side::Cloud, play::memberships),
        other("GET /cloud/v2/groups/:group", Side::Cloud, play::group),
        other("GET /cloud/v2/groups/:group/roles", Side::Cloud, play::group_roles),
        other("POST /v1/users", Side::Users, play::users),
        other("GET /v1/users/:user", Side::Users, play::profile),
        other("POST /v1/usernames/users", Side::Users, players::by_name),
        other("GET /v1/users/avatar-headshot", Side::Users, players::headshots),
        other("GET /v1/games", Side::Users, play::universes),
        other("GET /headshots/:file", Side::Open, pictures::headshot),
    ]
}

fn control() -> Vec<Endpoint> {
    vec![
        other("GET /control/routes", Side::Control, control::routes),
        other("GET /control/stats", Side::Control, control::stats),
        other("GET /control/updates", Side::Control, control::updates),
        other("POST /control/stats/reset", Side::Control, control::reset_stats),
        other("POST /control/faults", Side::Control, control::add_fault),
        other("DELETE /control/faults", Side::Control, control::clear_faults),
        other("POST /control/members", Side::Control, control::change_members),
        other("POST /control/bans", Side::Control, bans::by_others),
        other("POST /control/roles", Side::Control, control::change_role),
        other("GET /control/life", Side::Control, life::report),
        other("POST /control/life", Side::Control, life::change_life),
        other("POST /control/intents", Side::Control, control::change_intents),
        other("POST /control/connections", Side::Control, linking::change_connections),
        other("POST /control/profiles", Side::Control, linking::change_profile),
        other("POST /control/keys", Side::Control, linking::rotate_keys),
        other("GET /control/chat/guilds/:guild/members/:user", Side::Control, control::chat_member),
        other("GET /control/chat/guilds/:guild/state", Side::Control, control::guild_state),
        other("GET /control/chat/guilds/:guild/audit-log", Side::Control, control::audit_log),
        other("POST /control/application", Side::Control, application::change),
        other("POST /control/game", Side::Control, game::set_up),
        other("GET /control/gateway", Side::Control, gateway::report),
        other("POST /control/gateway", Side::Control, gateway::change_stream),
        other("GET /client", Side::Control, client::show),
        calls("POST /client", client::act),
        calls("POST /control/interactions", conversations::interact),
        other("GET /control/interactions/:id", Side::Control, conversations::seen),
        other("DELETE /control/interactions/:id/token", Side::Control, conversations::end_token),
        other("POST /control/direct-messages", Side::Control, conversations::change_direct_messages),
        other("GET /control/messages", Side::Control, conversations::messages),
    ]
}
