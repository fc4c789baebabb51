//! The routes of both platforms, by template. Calls, metrics, pacing and errors name them.

/// Methods and paths of the chat platform, below its base URL.
pub(crate) mod chat {
    /// The bot, or the person whose access token is sent.
    pub(crate) const CURRENT_USER: &str = "GET /users/@me";
    /// The guilds of the person whose access token is sent.
    pub(crate) const OWN_GUILDS: &str = "GET /users/@me/guilds";
    /// The accounts on other platforms of the person whose access token is sent.
    pub(crate) const OWN_CONNECTIONS: &str = "GET /users/@me/connections";
    pub(crate) const USER: &str = "GET /users/:user";
    pub(crate) const APPLICATION: &str = "GET /applications/@me";
    pub(crate) const GATEWAY: &str = "GET /gateway/bot";
    pub(crate) const GUILD: &str = "GET /guilds/:guild";
    pub(crate) const ROLES: &str = "GET /guilds/:guild/roles";
    pub(crate) const MEMBERS: &str = "GET /guilds/:guild/members";
    pub(crate) const SEARCH_MEMBERS: &str = "GET /guilds/:guild/members/search";
    pub(crate) const MEMBER: &str = "GET /guilds/:guild/members/:user";
    pub(crate) const UPDATE_MEMBER: &str = "PATCH /guilds/:guild/members/:user";
    pub(crate) const ADD_ROLE: &str = "PUT /guilds/:guild/members/:user/roles/:role";
    pub(crate) const REMOVE_ROLE: &str = "DELETE /guilds/:guild/members/:user/roles/:role";
    pub(crate) const READ_BAN: &str = "GET /guilds/:guild/bans/:user";
    pub(crate) const BAN: &str = "PUT /guilds/:guild/bans/:user";
    pub(crate) const UNBAN: &str = "DELETE /guilds/:guild/bans/:user";
    pub(crate) const AUDIT_LOG: &str = "GET /guilds/:guild/audit-logs";
    pub(crate) const CHANNELS: &str = "GET /guilds/:guild/channels";
    pub(crate) const CREATE_CHANNEL: &str = "POST /guilds/:guild/channels";
    pub(crate) const OPEN_DIRECT_CHANNEL: &str = "POST /users/@me/channels";
    pub(crate) const SEND_MESSAGE: &str = "POST /channels/:channel/messages";
    pub(crate) const COMMANDS: &str = "GET /applications/:application/commands";
    pub(crate) const PUT_COMMANDS: &str = "PUT /applications/:application/commands";
    pub(crate) const ANSWER: &str = "POST /interactions/:interaction/:token/callback";
    pub(crate) const EDIT_ANSWER: &str = "PATCH /webhooks/:application/:token/messages/@original";
    pub(crate) const FOLLOW_ANSWER: &str = "POST /webhooks/:application/:token";
    /// On the host of files.
    pub(crate) const AVATAR: &str = "GET /avatars/:user/:hash";
    pub(crate) const ICON: &str = "GET /icons/:guild/:hash";
    /// The only one that a browser opens.
    pub(crate) const AUTHORIZE: &str = "GET /oauth2/authorize";
    pub(crate) const TOKEN: &str = "POST /oauth2/token";
    pub(crate) const AUTHORIZATION: &str = "GET /oauth2/@me";
}

/// Methods and paths of the game platform, below its base URLs.
pub(crate) mod play {
    pub(crate) const MEMBERSHIPS: &str = "GET /cloud/v2/groups/-/memberships";
    pub(crate) const GROUP: &str = "GET /cloud/v2/groups/:group";
    pub(crate) const GROUP_ROLES: &str = "GET /cloud/v2/groups/:group/roles";
    pub(crate) const USERS: &str = "POST /v1/users";
    pub(crate) const USER: &str = "GET /v1/users/:user";
    pub(crate) const USERNAMES: &str = "POST /v1/usernames/users";
    pub(crate) const HEADSHOTS: &str = "GET /v1/users/avatar-headshot";
    pub(crate) const UNIVERSES: &str = "GET /v1/games";
    /// On the host of files, whose paths are its own.
    pub(crate) const PICTURE: &str = "GET picture";
    /// The only one that a browser opens.
    pub(crate) const AUTHORIZE: &str = "GET /oauth/v1/authorize";
    pub(crate) const TOKEN: &str = "POST /oauth/v1/token";
    pub(crate) const REVOKE: &str = "POST /oauth/v1/token/revoke";
    pub(crate) const USERINFO: &str = "GET /oauth/v1/userinfo";
    pub(crate) const CERTS: &str = "GET /oauth/v1/certs";
}
