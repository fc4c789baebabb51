//! GET /guilds/:guildId/staff/profile/:userId

use entities::{ChatId, loa, staff_action, staff_directory, staff_session, strike};

use crate::endpoints::guilds::staff::loa::record::Loa;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffProfile {
    chat_id: ChatId,
    #[schema(example = "Moderator")]
    role_name: String,
    joined_at: Seconds,
    /// Actions that count.
    #[schema(minimum = 0, example = 120)]
    actions_total: i64,
    #[schema(minimum = 0, example = 40)]
    sessions_total: i64,
    /// Full minutes of all sessions together.
    #[schema(minimum = 0, example = 2400)]
    minutes_active: i64,
    /// The current leave of absence, otherwise the next one; null if there is neither.
    #[schema(required)]
    open_loa: Option<Loa>,
    #[schema(example = 1)]
    active_strikes: u64,
}

pub(crate) fn operation() -> Operation {
    Operation::new("getStaffProfile", "The record of a staff member").data::<StaffProfile>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let user: ChatId = call.path("userId")?;
    let (conn, guild, now) = (call.read(), call.guild(), call.now());
    let member = staff_directory::find(conn, guild, user, now).await?.or_not_found("staff member")?;
    let (actions_total, active, leave, active_strikes) = tokio::try_join!(
        staff_action::totals::of_staff(conn, guild, user),
        staff_session::totals::of_staff(conn, guild, user),
        loa::open_of(conn, guild, user, now),
        strike::count_active(conn, guild, user, now)
    )?;
    Reply::data(&StaffProfile {
        chat_id: user,
        role_name: member.role_name,
        joined_at: Seconds(member.joined_at),
        actions_total,
        sessions_total: active.sessions,
        minutes_active: active.seconds / 60,
        open_loa: leave.as_ref().map(|leave| Loa::new(leave, now)),
        active_strikes,
    })
}
