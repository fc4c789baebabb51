//! GET /guilds/:guildId/staff/strikes, newest first; `staff_id` and `active` narrow it.

use entities::strike::{self, Filter};
use entities::{ChatId, StrikeId};
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::guilds::staff::ID;
use crate::guilds::staff::strikes::Strike;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;

#[derive(Serialize)]
struct Strikes {
    strikes: Vec<Strike>,
    next_cursor: Option<StrikeId>,
}

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let page = Page::<StrikeId>::or_whole(&call, ID)?;
    let filter = Filter {
        staff: call.query.parsed("staff_id", &ChatId::allowed())?,
        active: call.query.parsed("active", &bool::allowed())?,
    };
    let now = call.now();
    let mut rows = strike::list(call.read(), call.guild(), filter, page.to_fetch(), now).await?;
    let next_cursor = page.cut(&mut rows, |row| row.strike_id);
    Reply::data(&Strikes { strikes: rows.iter().map(|row| Strike::new(row, now)).collect(), next_cursor })
}
