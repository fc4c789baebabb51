//! POST /shield/batch: who of up to 200 players is flagged. Reads only.

use std::collections::HashMap;

use entities::PlayId;
use entities::shield_flag::{self, Model};
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::lookup::BATCH_MAX;

#[derive(Serialize)]
struct Flagged {
    flagged: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    /// A string here, an integer in requests (docs/rules.md 8).
    play_id: String,
    play_username: String,
    reason: String,
    source: String,
}

impl From<Model> for Item {
    fn from(row: Model) -> Self {
        Self {
            play_id: row.play_id.to_string(),
            play_username: row.play_username,
            reason: row.reason,
            source: row.source,
        }
    }
}

/// In the order asked for, each once; who is clean is left out.
pub(crate) async fn batch(call: Call) -> Result<Reply, ApiError> {
    let Some(plays) = call.fields.list::<PlayId>("play_ids", BATCH_MAX)? else {
        let allowed = format!("an array of at most {BATCH_MAX} items, each {}", PlayId::allowed());
        return Err(ApiError::missing("play_ids", &allowed));
    };
    let flags = shield_flag::find_many(call.read(), &plays).await?;
    let mut flags: HashMap<_, _> = flags.into_iter().map(|flag| (flag.play_id, flag)).collect();
    let flagged = plays.iter().filter_map(|play| flags.remove(play)).map(Item::from).collect();
    Reply::data(&Flagged { flagged })
}
