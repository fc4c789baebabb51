//! The event stream while processes die and Postgres is away: every member who joins meanwhile is right.

mod kills {
    use std::time::Instant;

    use testkit::proxy::Proxy;
    use testkit::{Deployment, Mode, Setup, eventually, http_client, run, run_unstarted};

    use super::super::leading::RESCUED_WITHIN;
    use crate::gateway::{connected, rejoin};

    /// Who joins while nothing works.
    const JOINERS: usize = 5;

    async fn leads(base: &str, leads: bool) {
        let line = format!("guildhall_gateway_leads{{shard=\"0\"}} {}", u8::from(leads));
        eventually(&line, RESCUED_WITHIN, async || {
            let metrics =
                http_client().get(format!("{base}/metrics")).send().await.ok()?.text().await.ok()?;
            metrics.lines().any(|found| found == line).then_some(())
        })
        .await;
    }

    async fn all_right(deployment: &Deployment, since: Instant, after: &str) {
        let guild = deployment.guild();
        for member in guild.members.iter().take(JOINERS) {
            eventually("who joined is right", RESCUED_WITHIN, async || {
                deployment.simulator.is_right(guild, member).await.then_some(())
            })
            .await;
        }
        println!("{after}: {JOINERS} joiners right after {:.1} s", since.elapsed().as_secs_f64());
    }

    #[test]
    fn another_process_reads_on_where_a_killed_one_stopped() {
        run(Setup::new(Mode::Distributed).events().processes(2), async |deployment| {
            connected(deployment).await;
            let bases: Vec<_> = deployment.roles().gateways.iter().map(|one| one.base.clone()).collect();
            let mut reader = None;
            eventually("one of two reads", RESCUED_WITHIN, async || {
                for (index, base) in bases.iter().enumerate() {
                    let metrics =
                        http_client().get(format!("{base}/metrics")).send().await.ok()?.text().await.ok()?;
                    if metrics.contains("guildhall_gateway_leads{shard=\"0\"} 1") {
                        reader = Some(index);
                    }
                }
                reader
            })
            .await;
            let mut killed = deployment.roles().gateways.remove(reader.unwrap());
            killed.process.kill();
            let guild = deployment.guild();
            for member in guild.members.iter().take(JOINERS) {
                rejoin(deployment, guild, member).await;
            }
            let other = deployment.roles().gateways[0].base.clone();
            leads(&other, true).await;
            all_right(deployment, Instant::now(), "reader killed").await;
            let stream = deployment.simulator.stream().await;
            assert_eq!((&stream["identifies"], &stream["resumes"]), (&1.into(), &1.into()), "{stream}");
        });
    }

    #[test]
    fn events_wait_for_postgres() {
        run_unstarted(Setup::new(Mode::Distributed).events(), async |deployment| {
            let url =
                deployment.env.iter().find(|(name, _)| name == "GUILDHALL_DATABASE_URL").unwrap().1.clone();
            let proxy = Proxy::before(&url).unwrap();
            let through = [("GUILDHALL_DATABASE_URL", &*proxy.url(&url))];
            let [api, worker, scheduler, gateway] =
                ["api", "worker", "scheduler", "gateway"].map(|role| deployment.spawn_with(role, &through));
            let base = gateway.base.clone();
            deployment.roles().apis.push(api);
            deployment.roles().workers.push(worker);
            deployment.roles().schedulers.push(scheduler);
            deployment.roles().gateways.push(gateway);
            deployment.wait_until_ready().await;
            connected(deployment).await;
            let guild = deployment.guild();
            for outlasts_the_lease in [false, true] {
                proxy.refuse();
                for member in guild.members.iter().take(JOINERS) {
                    rejoin(deployment, guild, member).await;
                }
                if outlasts_the_lease {
                    leads(&base, false).await;
                }
                proxy.heal();
                all_right(deployment, Instant::now(), "postgres was away").await;
            }
            let stream = deployment.simulator.stream().await;
            assert_eq!(stream["identifies"], 1, "the session went on: {stream}");
        });
    }
}
