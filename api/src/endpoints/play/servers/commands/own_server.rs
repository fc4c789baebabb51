//! The server of the path.

use crate::cache::commands::OwnServer;
use crate::call::Call;
use crate::request::game_values::ServerId;

/// `None` if the path has no server id: such a server does not exist.
pub(crate) fn own_server(call: &Call) -> Option<OwnServer> {
    let server: ServerId = call.path("serverId").ok()?;
    Some((call.guild(), server.0))
}
