//! Turns between guilds and the platform's limits, with two worker processes and with one process. The tests compare the
//! order of the updates at the platform, which does not depend on the machine's speed.

use std::time::Duration;

use sea_orm::ConnectionTrait;
use serde_json::json;

use testkit::{Deployment, Guild, Update, both_modes, eventually};

both_modes!(
    a_single_sync_and_a_small_bulk_sync_do_not_wait_for_a_large_one(|setup| {
        setup.sizes(&[1_500, 60, 5]).paced("fast").processes(2).latency_ms(20)
    }),
    concurrent_bulk_syncs_get_equal_shares(|setup| {
        setup.sizes(&[80; 6]).paced("fast").processes(2).latency_ms(20)
    }),
    every_process_keeps_the_pauses_of_the_platform(|setup| {
        setup.sizes(&[60, 60]).paced("fast").processes(2)
    }),
    roles_and_nicknames_are_changed_in_parallel(|setup| {
        setup.sizes(&[40]).renamed_half().paced("discord").processes(2).latency_ms(20)
    }),
);

const LONG: Duration = Duration::from_secs(60);

const ALL_BECAME_DUE_AT_ONCE: &str =
    "UPDATE job SET run_at = (SELECT min(run_at) FROM job WHERE kind = 'sync_all') WHERE kind = 'sync_all'";

fn of<'a>(updates: &'a [Update], guild: &'a Guild) -> impl Iterator<Item = usize> + 'a {
    updates.iter().enumerate().filter(|(_, update)| update.guild == guild.id).map(|(index, _)| index)
}

async fn limits_were_kept(deployment: &Deployment) {
    let stats = deployment.simulator.stats().await;
    assert!(stats["max_per_second"].as_u64().unwrap() <= 50, "{stats}");
    assert_eq!(stats["rate_limited"], 0, "{stats}");
}

async fn a_single_sync_and_a_small_bulk_sync_do_not_wait_for_a_large_one(deployment: &Deployment) {
    let [big, small, singles] = [0, 1, 2].map(|index| &deployment.fixture.guilds[index]);
    let endless = deployment.begin_sync_all(big).await;
    eventually("the big one writes", LONG, async || {
        (deployment.simulator.updates_of(big).await >= 20).then_some(())
    })
    .await;

    for member in &singles.members {
        let before = deployment.simulator.updates().await.len();
        let body = json!({ "guild_id": singles.id, "user_id": member.chat });
        deployment.api_of(singles).post("/interactions/sync", body).await.ok();
        let updates = deployment.simulator.updates().await;
        let served = updates.iter().position(|update| update.user == member.chat).unwrap();
        // A sync that waited for a chunk would come after 200 updates.
        assert!(served - before <= 100, "after {} updates of the big one", served - before);
    }

    let before = deployment.simulator.updates().await.len();
    let job = deployment.begin_sync_all(small).await;
    let row = deployment.sync_all_ended(&job, LONG).await;
    assert_eq!(deployment.simulator.wrong(small).await, 0, "{row:?}");
    let updates = deployment.simulator.updates().await;
    let theirs: Vec<usize> = of(&updates, small).collect();
    let (first, last) = (theirs[0], *theirs.last().unwrap());
    assert!(first - before <= 150, "it began after {} updates of the big one", first - before);
    let meanwhile = of(&updates[first..=last], big).count();
    assert!(meanwhile <= theirs.len() * 13 / 10 + 5, "{meanwhile} of the big one beside {}", theirs.len());

    assert!(deployment.sync_all_row(&endless).await.state.is_open(), "it ended too early to tell");
    deployment.api_of(big).delete(&format!("/jobs/{endless}")).await.ok();
    limits_were_kept(deployment).await;
}

async fn concurrent_bulk_syncs_get_equal_shares(deployment: &Deployment) {
    let guilds = &deployment.fixture.guilds;
    let mut jobs = Vec::new();
    // On a busy machine the first would end before the last is enqueued.
    deployment.command(&["jobs", "pause", "bulk"]).await.succeeded();
    for guild in guilds {
        jobs.push(deployment.begin_sync_all(guild).await);
    }
    // One poll of the safety net takes them all, not one those that are two seconds old and a later one the rest.
    deployment.connect().await.execute_unprepared(ALL_BECAME_DUE_AT_ONCE).await.unwrap();
    deployment.command(&["jobs", "resume", "bulk"]).await.succeeded();
    for job in &jobs {
        deployment.sync_all_ended(job, LONG).await;
    }
    let updates = deployment.simulator.updates().await;
    assert_eq!(updates.len(), 80 * guilds.len());
    // While all of them run: from the last first update to the first last one.
    let from = guilds.iter().map(|guild| of(&updates, guild).next().unwrap()).max().unwrap();
    let until = guilds.iter().map(|guild| of(&updates, guild).last().unwrap()).min().unwrap();
    assert!(until >= from + 60, "{from} to {until}: they did not run at once");
    let counts: Vec<f64> = guilds
        .iter()
        .map(|guild| of(&updates[from..=until], guild).count())
        .map(|count| f64::from(u32::try_from(count).unwrap()))
        .collect();
    // Jain's index: 1 if all are equal, 1/n if one has all.
    let (sum, squares) = (counts.iter().sum::<f64>(), counts.iter().map(|count| count * count).sum::<f64>());
    let index = sum * sum / (squares * 6.0);
    assert!(index >= 0.95, "{index}: {counts:?}");
    limits_were_kept(deployment).await;
}

async fn every_process_keeps_the_pauses_of_the_platform(deployment: &Deployment) {
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    for (guild, global) in deployment.fixture.guilds.iter().zip([true, false]) {
        deployment.simulator.reset_stats().await;
        let limited = json!({ "route": route, "status": 429, "retry_after": 2, "global": global });
        deployment.fault(limited).await;
        let job = deployment.begin_sync_all(guild).await;
        let row = deployment.sync_all_ended(&job, LONG).await;
        assert_eq!(row.progress_failed, 0, "{row:?}");
        assert_eq!(deployment.simulator.wrong(guild).await, 0);
        let stats = deployment.simulator.stats().await;
        assert_eq!((&stats["ignored_pauses"], &stats["rate_limited"]), (&json!(0), &json!(1)), "{stats}");
        assert_eq!(stats["requests"][route]["204"], 60, "each member once: {stats}");
    }
}

/// Half of the members lack their role, half have an old nickname; the platform allows ten of each in ten seconds.
async fn roles_and_nicknames_are_changed_in_parallel(deployment: &Deployment) {
    let guild = &deployment.fixture.guilds[0];
    let job = deployment.begin_sync_all(guild).await;
    let row = deployment.sync_all_ended(&job, LONG).await;
    assert_eq!((row.progress_done, row.progress_failed), (40, 0), "{row:?}");
    assert_eq!(deployment.simulator.wrong(guild).await, 0);
    limits_were_kept(deployment).await;
    let updates = deployment.simulator.updates().await;
    assert_eq!(updates.len(), 40);
    // Both buckets are used from the start.
    let renamed = |update: &&Update| guild.members[20..].iter().any(|member| member.chat == update.user);
    let in_first_half = updates[..20].iter().filter(renamed).count();
    assert!((5..=15).contains(&in_first_half), "{in_first_half} nicknames among the first 20 changes");
}
