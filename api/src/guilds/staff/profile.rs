//! GET /guilds/:guildId/staff/profile/:userId

use entities::{ChatId, loa, staff_action, staff_directory, staff_session, strike};
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::guilds::staff::loa::Loa;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::staff::not_staff;
use crate::time::Seconds;

#[derive(Serialize)]
struct Profile {
    chat_id: ChatId,
    role_name: String,
    joined_at: Seconds,
    actions_total: i64,
    sessions_total: i64,
    minutes_active: i64,
    /// The leave under way, or else the next one.
    open_loa: Option<Loa>,
    active_strikes: u64,
}

pub(crate) async fn profile(call: Call) -> Result<Reply, ApiError> {
    let user: ChatId = call.path("userId", &ChatId::allowed())?;
    let (conn, guild, now) = (call.read(), call.guild(), call.now());
    let member = staff_directory::find(conn, guild, user, now).await?.ok_or_else(not_staff)?;
    let (actions_total, active, leave, active_strikes) = tokio::try_join!(
        staff_action::totals::of_staff(conn, guild, user),
        staff_session::totals::of_staff(conn, guild, user, None),
        loa::open_of(conn, guild, user, now),
        strike::count_active(conn, guild, user, now)
    )?;
    Reply::data(&Profile {
        chat_id: user,
        role_name: member.role_name,
        joined_at: Seconds(member.joined_at),
        actions_total,
        sessions_total: active.sessions,
        minutes_active: active.seconds / 60,
        open_loa: leave.as_ref().map(Loa::from),
        active_strikes,
    })
}
