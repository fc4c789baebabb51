//! A process with an empty guild, for tests of what a call does.

use std::sync::Arc;

use entities::api_key::{self, Scopes};
use entities::key_text::KeyText;
use entities::{GuildId, guild};
use platforms::Platforms;
use queue::Queue;
use runtime::{Config, Context, PlatformConfig, PlatformRate, Shutdown};
use testkit::{TestDatabase, guild_row};

use crate::cache::keys::Key;
use crate::call::Call;
use crate::call::caller::Caller;
use crate::request::body::Body;
use crate::request::url::{Params, Query};
use crate::state::State;
use crate::state::options::Options;

pub(crate) struct CallFixture {
    pub(crate) state: Arc<State>,
    _file: TestDatabase,
}

fn no_platforms() -> PlatformConfig {
    PlatformConfig {
        chat_api_url: None,
        chat_token: None,
        chat_client_id: None,
        chat_client_secret: None,
        chat_public_key: None,
        play_api_url: None,
        play_key: None,
        play_client_id: None,
        play_client_secret: None,
        play_webhook_secret: None,
        chat_rate: PlatformRate::Off,
        play_rate: PlatformRate::Off,
        webhook_networks: Vec::new(),
        follow_share: 0,
    }
}

pub(crate) fn the_guild() -> GuildId {
    "5".parse().unwrap()
}

impl CallFixture {
    pub(crate) async fn new() -> Self {
        let file = TestDatabase::sqlite().await;
        let config = Config { database_url: file.url().into(), prefix: "test".to_owned(), broker: None };
        let context = Context::embedded(&config, Shutdown::new()).await.unwrap();
        let row = guild_row(the_guild(), context.clock.now());
        guild::upsert(context.database.write(), row).await.unwrap();
        let queue = Queue::embedded(&context);
        let platforms = Platforms::new(&no_platforms(), None).unwrap();
        Self { state: State::new(context, queue, platforms, Options::default()), _file: file }
    }

    /// A call of the guild's key, without parameters and body.
    pub(crate) fn call(&self) -> Call {
        let text = KeyText::generate();
        let key = Key::from(api_key::Model {
            key_id: 1.try_into().unwrap(),
            guild_id: the_guild(),
            public_id: text.public_id().to_owned(),
            secret_hash: text.secret_hash().to_vec(),
            name: String::new(),
            owner_id: "6".parse().unwrap(),
            scopes: Scopes::default_set().to_string(),
            created_at: self.state.context.clock.now(),
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
            hot_path_factor: 1,
            parent: None,
            trusted: false,
        });
        Call {
            state: self.state.clone(),
            caller: Caller::Key(key.into()),
            request_id: "r".into(),
            params: Params::default(),
            query: Query::default(),
            body: Body::default(),
            headers: Arc::default(),
            head: false,
            idempotency: None,
            upgrade: None,
        }
    }
}
