//! API keys by public id. Unknown ids are cached too.

use std::sync::Arc;

use entities::api_key;
use runtime::{Freshness, Pool};
use sea_orm::DbErr;

use crate::auth::key::Key;
use crate::cache::event_fed::EventFed;

const CAPACITY: u64 = 10_000;

pub(crate) struct Keys(EventFed<String, Option<Arc<Key>>>);

impl Keys {
    pub(crate) fn new(freshness: &Freshness) -> Self {
        Self(EventFed::new(freshness, CAPACITY))
    }

    /// `Some(None)`: the key is known not to exist.
    pub(crate) fn get(&self, public_id: &str) -> Option<Option<Arc<Key>>> {
        self.0.get(public_id)
    }

    pub(crate) async fn load(&self, conn: &Pool, public_id: &str) -> Result<Option<Arc<Key>>, DbErr> {
        let read = async {
            let row = api_key::find_by_public_id(conn, public_id).await?;
            Ok(row.map(|row| Arc::new(Key::new(row))))
        };
        self.0.load(&public_id.to_owned(), read).await
    }

    pub(crate) fn forget(&self, public_id: &str) {
        self.0.forget(public_id);
    }

    pub(crate) fn forget_all(&self) {
        self.0.forget_all();
    }
}
