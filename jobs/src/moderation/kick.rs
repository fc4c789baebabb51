//! A ban removes the player from the game servers that are live: a command `kick` for each of them, in the transaction of
//! the ban.

use entities::cap::Cap;
use entities::server_command::{KICK, NewCommand};
use entities::{GuildId, PlaceId, PlayId, Timestamp, game_server, sanction};
use runtime::UnitOfWork;
use sea_orm::{ConnectionTrait, DbErr};

use super::order::{Order, Wanted};
use crate::server_commands::{copy_for, queue};

/// The live game servers of a guild, with their places; by default none.
#[derive(Default)]
pub struct LiveServers(Vec<(String, PlaceId)>);

impl LiveServers {
    /// Outside of the transaction of the bans: a server that starts meanwhile asks who is banned when the player joins, and
    /// one that shuts down meanwhile is told nothing.
    pub async fn read(conn: &impl ConnectionTrait, guild: GuildId, now: Timestamp) -> Result<Self, DbErr> {
        game_server::live(conn, guild, now).await.map(Self)
    }

    /// Tells those of the ban's scope. Returns how many; 0 if the guild has no room for further commands.
    pub(super) async fn kick(
        &self,
        work: &mut UnitOfWork,
        order: &Order,
        ban: &sanction::Model,
        player: Option<PlayId>,
    ) -> Result<usize, DbErr> {
        let Wanted::Imposed { kick: true, .. } = order.wanted else { return Ok(0) };
        let Some(player) = player else { return Ok(0) };
        let meant = |(_, place): &&(String, PlaceId)| ban.place_id.is_none_or(|own| own == *place);
        let copies: Vec<_> =
            self.0.iter().filter(meant).map(|(server, _)| copy_for(server.clone())).collect();
        let (cap, more) = (Cap::PendingCommands, copies.len() as u64);
        if copies.is_empty() || cap.count(work.tx(), ban.guild_id).await? + more > cap.row().most {
            return Ok(0);
        }
        let command = NewCommand {
            kind: KICK.to_owned(),
            target: player.to_string(),
            reason: ban.reason.clone(),
            issued_by: ban.moderator_id,
        };
        Ok(queue(work, ban.guild_id, &command, copies).await?.len())
    }
}
