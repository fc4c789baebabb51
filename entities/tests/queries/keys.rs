//! Many keys at once: their rows, and the time of their last use.

use entities::api_key::{self, Model, NewKey, Scopes, descendants};
use entities::key_text::KeyText;
use entities::retention;

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild};

impl Fixture {
    async fn key(&self) -> Model {
        api_key::create(self.conn(), new_key(), at(0)).await.unwrap()
    }

    async fn key_of(&self, parent: &Model) -> Model {
        api_key::create(self.conn(), new_key().made_by(parent), at(0)).await.unwrap()
    }
}

fn new_key() -> NewKey {
    NewKey {
        guild: guild(),
        text: KeyText::generate(),
        name: "k".to_owned(),
        owner: chat(1),
        scopes: Scopes::default_set(),
        expires_at: None,
        hot_path_factor: 1,
        parent: None,
        trusted: false,
    }
}

both_databases! {
    async fn the_use_of_keys_is_written_and_read_at_once(fixture: &Fixture) {
        let [one, two, unused] = [fixture.key().await, fixture.key().await, fixture.key().await];
        api_key::touch(fixture.conn(), &[one.key_id, two.key_id], at(7)).await.unwrap();
        let asked = [&*two.public_id, &unused.public_id, "unknown", &one.public_id];
        let mut found = api_key::find_by_public_ids(fixture.conn(), asked).await.unwrap();
        found.sort_by_key(|key| key.key_id);
        let used: Vec<_> = found.iter().map(|key| (key.key_id, key.last_used_at)).collect();
        assert_eq!(used, [(one.key_id, Some(at(7))), (two.key_id, Some(at(7))), (unused.key_id, None)]);
        api_key::touch(fixture.conn(), &[], at(8)).await.unwrap();
    }

    async fn what_a_key_did_names_it_by_its_public_id(fixture: &Fixture) {
        let key = fixture.key().await;
        let name_of = async |guild, second| {
            api_key::name_of(fixture.conn(), guild, key.key_id, at(second)).await.unwrap()
        };
        assert_eq!(name_of(guild(), 0).await, key.public_id);
        // What was imported came with another key of this number.
        assert_eq!(name_of(guild(), -1).await, key.key_id.to_string());
        assert_eq!(name_of(other_guild(), 0).await, key.key_id.to_string());
    }

    async fn a_key_expires_at_the_earlier_of_two_times(fixture: &Fixture) {
        let key = fixture.key().await.public_id;
        let expire = async |end, now| {
            let key = api_key::expire(fixture.conn(), &key, at(end), at(now)).await.unwrap();
            key.map(|key| key.expires_at)
        };
        assert_eq!(expire(60, 0).await, Some(Some(at(60))));
        assert_eq!(expire(90, 1).await, Some(Some(at(60))));
        assert_eq!(expire(30, 2).await, Some(Some(at(30))));
        assert_eq!(expire(40, 30).await, None, "it has expired");
        let revoked = fixture.key().await.public_id;
        api_key::revoke(fixture.conn(), &revoked, at(1)).await.unwrap();
        assert_eq!(api_key::expire(fixture.conn(), &revoked, at(9), at(2)).await.unwrap(), None);
    }

    async fn an_old_key_stays_while_a_key_that_it_made_does(fixture: &Fixture) {
        let root = fixture.key().await;
        let child = fixture.key_of(&root).await;
        let grandchild = fixture.key_of(&child).await;
        api_key::revoke(fixture.conn(), &child.public_id, at(1)).await.unwrap();
        let sweep = async || retention::keys(fixture.conn(), at(9), 10).await.unwrap();
        assert_eq!(sweep().await, 0);
        let revoked = api_key::revoke_descendants(fixture.conn(), guild(), &root.public_id, at(2)).await.unwrap();
        assert_eq!(revoked.iter().map(|key| key.key_id).collect::<Vec<_>>(), [grandchild.key_id]);
        assert_eq!([sweep().await, sweep().await, sweep().await], [1, 1, 0], "the youngest first");
        assert!(api_key::find_by_public_ids(fixture.conn(), [&*root.public_id]).await.unwrap().len() == 1);
    }

    async fn descendants_are_revoked_with_a_key(fixture: &Fixture) {
        let (root, other) = (fixture.key().await, fixture.key().await);
        let child = fixture.key_of(&root).await;
        let (left, right) = (fixture.key_of(&child).await, fixture.key_of(&child).await);
        let all = api_key::list(fixture.conn(), Some(guild())).await.unwrap();
        let ids = |keys: Vec<&Model>| keys.iter().map(|key| key.key_id).collect::<Vec<_>>();
        assert_eq!(ids(descendants(&all, &root.public_id)), [&child, &left, &right].map(|key| key.key_id));
        api_key::revoke(fixture.conn(), &child.public_id, at(1)).await.unwrap();
        let revoked = api_key::revoke_descendants(fixture.conn(), guild(), &root.public_id, at(2)).await.unwrap();
        let mut revoked = ids(revoked.iter().collect());
        revoked.sort();
        assert_eq!(revoked, [left.key_id, right.key_id], "the child was revoked before");
        let other = api_key::find(fixture.conn(), guild(), &other.public_id).await.unwrap().unwrap();
        assert_eq!((root.revoked_at, other.revoked_at), (None, None));
    }
}
