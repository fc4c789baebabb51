//! A ban removes the player from the game servers that are live: a command `kick` for each of them, in the transaction of
//! the ban.

use entities::cap::Cap;
use entities::game_server;
use entities::server_command::{KICK, NewCommand};
use entities::{GuildId, PlaceId, PlayId, SanctionKind, Timestamp, sanction};
use sea_orm::DbErr;

use crate::call::unit_of_work::UnitOfWork;
use crate::endpoints::play::servers::commands::queue::{copy_for, queue_unchecked};
use crate::response::error::ApiError;
use crate::state::State;
use crate::state::orders::{Order, Wanted};

/// The live game servers of a guild, with their places.
pub(super) struct LiveServers(Vec<(String, PlaceId)>);

impl LiveServers {
    /// Those that a batch of orders needs. Outside of its transaction: one that starts meanwhile asks who is banned when the
    /// player joins.
    pub(super) async fn read(
        state: &State,
        guild: GuildId,
        orders: &[Order],
        now: Timestamp,
    ) -> Result<Self, DbErr> {
        if !orders.iter().any(kicks) {
            return Ok(Self(Vec::new()));
        }
        game_server::live(state.context.database.read(), guild, now).await.map(Self)
    }

    /// Tells those of the ban's scope. Returns how many; 0 if the guild has no room for further commands.
    pub(super) async fn kick(
        &self,
        (state, work): (&State, &mut UnitOfWork<'_>),
        order: &Order,
        ban: &sanction::Model,
        player: Option<PlayId>,
    ) -> Result<usize, ApiError> {
        let Some(player) = player.filter(|_| kicks(order)) else { return Ok(0) };
        let meant = |(_, place): &&(String, PlaceId)| ban.place_id.is_none_or(|own| own == *place);
        let copies: Vec<_> =
            self.0.iter().filter(meant).map(|(server, _)| copy_for(server.clone())).collect();
        let room = || state.rooms.check(work.tx(), ban.guild_id, Cap::PendingCommands, copies.len() as u64);
        if copies.is_empty() || room().await.is_err() {
            return Ok(0);
        }
        let command = NewCommand {
            kind: KICK.to_owned(),
            target: player.to_string(),
            reason: ban.reason.clone(),
            issued_by: ban.moderator_id,
        };
        queue_unchecked(work, ban.guild_id, &command, &copies).await?;
        Ok(copies.len())
    }
}

fn kicks(order: &Order) -> bool {
    matches!(&order.wanted, Wanted::Imposed(request)
        if order.kind == SanctionKind::Ban && request.kick.unwrap_or(true))
}
