//! A rolling restart to the next build and back, on the schema of the next one, while clients go on.
//!
//! `bench/upgrade REVISION` names the build before in `GUILDHALL_TEST_OLD_BINARY`. Without it both builds are this one:
//! that still tests the restart, and later changes of the schema below running processes.

mod load;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use testkit::{Deployment, Fixture, Mode, Process, Running, Servers, Setup, Spawn, TestDatabase};
use testkit::{binary, eventually, old_binary};

use load::Load;

/// As many as the load needs to stay below the limits of each key.
const GUILDS: usize = 16;
const ENDS_WITHIN: Duration = Duration::from_secs(40);
/// What the next release may do to any table, below processes that do not know it.
const EXPAND_EVERY_TABLE: &str = "DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'seaql_migrations' LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN of_the_next_release text NOT NULL DEFAULT %L', name, '');
        COMMIT;
    END LOOP;
END $$";
const EXPANDED: &str = "INSERT INTO seaql_migrations VALUES ('m9999_of_the_next_release', 0)";

#[tokio::test]
async fn fails_no_call_and_loses_no_job_both_ways() {
    println!("from {} to {} and back", version(&old_binary()), version(&binary()));
    let database = TestDatabase::empty_on_server(&Servers::from_env().database).await;
    let deployment = start_old(&database).await;
    let load = Load::new(&deployment.fixture.guilds, bases(&deployment));
    let restarts = async {
        finishes(Process::spawn("migrate", &["migrate"], &deployment.env, deployment.folder())).await;
        database.execute(EXPAND_EVERY_TABLE).await;
        database.execute(EXPANDED).await;
        for spawn in [Process::spawn as Spawn, Process::spawn_old] {
            restart_each(&deployment, &load, spawn).await;
        }
    };
    let report = Box::pin(load.run_beside(restarts)).await;
    println!("{report}");
    assert!(report.failures.is_empty(), "see the report");
    assert!(report.checks > 500 && report.bans > 20 && report.jobs.len() > 20, "too little load");
    report.nothing_is_lost(&database).await;
}

fn version(program: &Path) -> String {
    let printed = Command::new(program).arg("--version").output().unwrap().stdout;
    format!("{} ({})", String::from_utf8(printed).unwrap().trim(), program.display())
}

/// Two of each process of the build before, on its own schema.
async fn start_old(database: &TestDatabase) -> Deployment {
    let setup = Setup::new(Mode::Distributed).processes(2).latency_ms(20);
    let setup = setup.env("GUILDHALL_DATABASE_URL", database.url()).env("GUILDHALL_STOP_NOTICE", "1");
    let fixture = Fixture::new(GUILDS, setup.members);
    let file = fixture.json();
    let deployment = Deployment::prepare(setup, fixture, &file).await;
    for args in [&["migrate"][..], &["seed", "fixture.json"]] {
        finishes(Process::spawn_old("old", args, &deployment.env, deployment.folder())).await;
    }
    database.execute("UPDATE api_key SET hot_path_factor = 100").await;
    deployment.wait_for_simulator().await;
    for _ in 0..deployment.setup.processes {
        let [api, worker, scheduler] =
            ["api", "worker", "scheduler"].map(|role| deployment.spawn_by(Process::spawn_old, role, &[]));
        let mut roles = deployment.roles();
        roles.apis.push(api);
        roles.workers.push(worker);
        roles.schedulers.push(scheduler);
    }
    deployment.wait_until_ready().await;
    deployment
}

async fn finishes(mut process: Process) {
    assert!(process.ended(ENDS_WITHIN).await.success(), "{}", process.log());
}

/// Stops one process after the other, and starts one of the other build in its place.
async fn restart_each(deployment: &Deployment, load: &Load<'_>, spawn: Spawn) {
    for role in ["api", "worker", "scheduler"] {
        for _ in 0..deployment.setup.processes {
            let old = of_role(deployment, role).remove(0);
            old.process.terminate();
            if role == "api" {
                // Within its notice, as a balancer that asks for readiness.
                eventually("it is not ready", ENDS_WITHIN, async || {
                    (!load.is_ready(&old.base).await).then_some(())
                })
                .await;
                load.balance_over(bases(deployment));
            }
            finishes(old.process).await;
            let next = deployment.spawn_by(spawn, role, &[]);
            of_role(deployment, role).push(next);
            deployment.wait_until_ready().await;
            load.balance_over(bases(deployment));
        }
    }
}

fn bases(deployment: &Deployment) -> Vec<String> {
    deployment.roles().apis.iter().map(|api| api.base.clone()).collect()
}

fn of_role<'a>(deployment: &'a Deployment, role: &str) -> std::cell::RefMut<'a, Vec<Running>> {
    std::cell::RefMut::map(deployment.roles(), |roles| match role {
        "api" => &mut roles.apis,
        "worker" => &mut roles.workers,
        _ => &mut roles.schedulers,
    })
}
