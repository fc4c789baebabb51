//! API keys by public id. Unknown ids are cached too, for one second: a command line without Redis announces no new
//! key.

use std::sync::Arc;
use std::time::Duration;

use entities::api_key;
use runtime::{Events, Pool};
use sea_orm::DbErr;

use crate::auth::key::Key;
use crate::cache::event_fed::EventFed;

const CAPACITY: u64 = 10_000;
/// Lifetime with trusted events; bounds the effect of a bug or a lost event.
const LIFE: Duration = Duration::from_secs(60);

pub(crate) struct Keys(EventFed<String, Option<Arc<Key>>>);

impl Keys {
    pub(crate) fn new(events: Events) -> Self {
        Self(EventFed::new(events, CAPACITY, LIFE))
    }

    /// `Some(None)`: the key is known not to exist.
    pub(crate) async fn get(&self, public_id: &str) -> Option<Option<Arc<Key>>> {
        self.0.get_if(&public_id.to_owned(), Option::is_some).await
    }

    pub(crate) async fn load(&self, conn: &Pool, public_id: &str) -> Result<Option<Arc<Key>>, DbErr> {
        let read = async {
            let row = api_key::find_by_public_id(conn, public_id).await?;
            Ok(row.map(|row| Arc::new(Key::new(row))))
        };
        self.0.load(&public_id.to_owned(), read).await
    }

    pub(crate) async fn forget(&self, public_id: &str) {
        self.0.forget(&public_id.to_owned()).await;
    }

    pub(crate) fn forget_all(&self) {
        self.0.forget_all();
    }
}
