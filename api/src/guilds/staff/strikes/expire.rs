//! POST /guilds/:guildId/staff/strikes/expire: what the sweep does, now and for one guild.

use entities::strike;
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// Rows that are closed by one statement.
const BATCH: u64 = 500;

#[derive(Serialize)]
struct Expired {
    expired: usize,
}

pub(crate) async fn expire(call: Call) -> Result<Reply, ApiError> {
    let transaction = call.begin().await?;
    let (actor, now) = (call.actor(), call.now());
    let mut expired = 0;
    loop {
        let closed = strike::sweep(&transaction, &actor, Some(call.guild()), now, BATCH).await?.len();
        expired += closed;
        if closed == 0 {
            break;
        }
    }
    call.commit(transaction, Reply::data(&Expired { expired })?).await
}
