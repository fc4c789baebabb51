//! What operators pause is not started, by whichever way, and goes on when they resume it.

use entities::job::{Class, State};
use entities::job_pause::{self, Scope};

use crate::kinds::{Echo, Gate, Gated, registry};
use crate::world::{NET_AFTER, World, both_modes, guild};

async fn pause_and_resume(world: World, scope: Scope) {
    let gate = Gate::new();
    world.work_with(registry().with(gate.clone()));
    let running = world.enqueue(&Gated {}).await;
    world.queue.publish(running.ticket);
    gate.wait_for_entry().await;
    let (conn, now) = (world.context.database.write(), world.context.clock.now());
    assert!(job_pause::create(conn, scope, now).await.unwrap());
    assert!(!job_pause::create(conn, scope, now).await.unwrap(), "paused already");
    let paused = world.enqueue(&Echo { text: String::new() }).await;
    let claim = world.row(paused.job).await.claim();
    assert_eq!(world.claim_as(claim, "by message").await, None);
    assert!(net(&world).await.is_empty(), "the safety net");
    gate.open.add_permits(1);
    world.wait_for(running.job, State::Succeeded).await;
    assert_eq!(world.row(paused.job).await.state, State::Queued);
    assert!(job_pause::delete(conn, scope).await.unwrap());
    assert!(!job_pause::delete(conn, scope).await.unwrap());
    world.advance(NET_AFTER).await;
    world.wait_for(paused.job, State::Succeeded).await;
}

/// What the safety net of a worker would claim at this moment.
async fn net(world: &World) -> Vec<entities::job::Model> {
    let wanted = entities::job::claim::Available {
        class: Class::Default,
        kinds: &["echo"],
        since: std::time::Duration::ZERO,
        overtaken: None,
        most: 10,
    };
    let (conn, now) = (world.context.database.write(), world.context.clock.now());
    entities::job::claim::available(conn, wanted, "net", now).await.unwrap()
}

both_modes! {
    async fn a_class(world: World) {
        pause_and_resume(world, Scope::Class(Class::Default)).await;
    }

    async fn a_guild(world: World) {
        pause_and_resume(world, Scope::Guild(guild())).await;
    }

    async fn a_pause_of_another_class_changes_nothing(world: World) {
        let (conn, now) = (world.context.database.write(), world.context.clock.now());
        job_pause::create(conn, Scope::Class(Class::Bulk), now).await.unwrap();
        world.work();
        assert!(world.call(&Echo { text: String::new() }).await.is_some());
    }
}
