use entities::idempotency::{self, Hold};
use entities::moderation_revision::Standing;
use entities::sanction::list::List;
use entities::sanction::whole::Whole;
use entities::{Places, audit_entry};
use sea_orm::EntityTrait;

use super::*;
use crate::call::fixture::{CallFixture, the_guild};
use crate::response::idempotency_slot::IdempotencySlot;
use crate::state::orders::{LiftRequest, SanctionRequest};

impl CallFixture {
    fn order(&self, request: Request) -> Order {
        Order { kind: SanctionKind::Ban, request, actor: self.call().actor(), idempotency: None }
    }

    async fn all(&self, orders: Vec<Order>) -> Vec<Result<Reply, ApiError>> {
        all(&self.state, the_guild(), orders).await
    }

    fn ban(&self, whom: &str) -> Order {
        let (identifier, moderator_id) = (whom.parse().unwrap(), "77".parse().unwrap());
        let reason = Text("spam".to_owned());
        let request = SanctionRequest {
            identifier,
            reason,
            moderator_id,
            duration_seconds: None,
            place_id: None,
            kick: None,
        };
        self.order(Request::Imposed(request))
    }

    fn unban(&self, whom: &str) -> Order {
        let (identifier, moderator_id) = (whom.parse().unwrap(), "77".parse().unwrap());
        let request = LiftRequest { identifier, moderator_id, reason: None, place_id: None, id: None };
        self.order(Request::Lifted(request))
    }

    /// Its key is no longer held: another request took it over.
    fn overtaken(&self, whom: &str) -> Order {
        let mut order = self.ban(whom);
        let request = idempotency::Request {
            key: 1.try_into().unwrap(),
            idempotency_key: "k".to_owned(),
            hash: Vec::new(),
        };
        let hold = Hold { request, locked_until: self.call().now() };
        order.idempotency = Some(IdempotencySlot { hold, first_job: None });
        order
    }

    async fn in_force(&self) -> Vec<String> {
        let list = List { guild: the_guild(), kind: SanctionKind::Ban, places: Places::All };
        let now = self.state.context.clock.now();
        let read = self.state.context.database.read();
        let rows = Whole::begin(read, list, now).await.unwrap().range(read, None, 100).await.unwrap();
        rows.iter().map(|row| row.play_id.unwrap().to_string()).collect()
    }

    async fn audited(&self) -> usize {
        audit_entry::Entity::find().all(self.state.context.database.read()).await.unwrap().len()
    }
}

#[tokio::test]
async fn an_order_that_fails_does_so_alone() {
    let fixture = CallFixture::new().await;
    let orders = vec![fixture.ban("1"), fixture.overtaken("2"), fixture.unban("1"), fixture.ban("3")];
    let outcomes = fixture.all(orders).await;
    let kinds: Vec<_> = outcomes.iter().map(|outcome| outcome.as_ref().err().map(ApiError::kind)).collect();
    assert_eq!(kinds, [None, Some(Kind::Conflict), None, None]);
    assert_eq!(fixture.in_force().await, ["3"]);
    assert_eq!(fixture.audited().await, 3);
}

#[tokio::test]
async fn what_is_imposed_comes_before_what_is_lifted() {
    let fixture = CallFixture::new().await;
    let outcomes = fixture.all(vec![fixture.unban("1"), fixture.ban("1"), fixture.ban("2")]).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(fixture.in_force().await, ["2"]);
}

#[tokio::test]
async fn lifts_of_nothing_leave_no_trace() {
    let fixture = CallFixture::new().await;
    let outcomes = fixture.all(vec![fixture.unban("1"), fixture.unban("2")]).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(fixture.audited().await, 0);
    let revision = Standing::read(fixture.state.context.database.read(), the_guild()).await;
    assert_eq!(revision.unwrap().revision, 0);
}
