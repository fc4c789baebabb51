//! Processes die while events are sent to a webhook: each arrives all the same, and what arrives twice has one id.

mod kills {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::json;
    use testkit::{Deployment, Mode, Receiver, Setup, eventually, run};

    use super::super::leading::RESCUED_WITHIN;

    /// Within a minute a key writes 30.
    const NOTES: usize = 12;

    /// A guild's webhook for notes, and a member about whom they are.
    struct Noted {
        receiver: Receiver,
        path: String,
        about: String,
        notes: BTreeSet<String>,
    }

    impl Noted {
        async fn new(deployment: &Deployment) -> Self {
            let (guild, receiver) = (deployment.guild(), Receiver::start().await);
            let api = deployment.api().key(&guild.admin_key);
            let hook = json!({ "url": receiver.url(), "events": ["notes"] });
            let hook = api.post(&format!("/guilds/{}/webhooks", guild.id), hook).await.ok();
            receiver.trusts(&hook["secret"]);
            let path = format!("/guilds/{}/staff/notes", guild.id);
            let members = api.get(&format!("/staff/members/{}", guild.id)).await.ok();
            let about = members["members"][0]["chat_id"].as_str().unwrap().to_owned();
            Self { receiver, path, about, notes: BTreeSet::new() }
        }

        async fn write(&mut self, deployment: &Deployment) {
            let api = deployment.api().key(&deployment.guild().admin_key);
            for number in 0..NOTES {
                let note = json!({ "staff_id": self.about, "body": format!("note {number}") });
                self.notes.insert(api.post(&self.path, note).await.ok()["id"].to_string());
            }
        }

        async fn all_arrived(&self) {
            eventually("every event arrives", RESCUED_WITHIN, async || {
                let arrived: BTreeSet<_> = self.arrived().into_keys().collect();
                (arrived == self.notes).then_some(())
            })
            .await;
            let arrived = self.arrived();
            assert!(arrived.values().all(|ids| ids.len() == 1), "one event, one id: {arrived:?}");
        }

        /// The ids of messages by note.
        fn arrived(&self) -> BTreeMap<String, BTreeSet<String>> {
            let mut arrived = BTreeMap::<String, BTreeSet<String>>::new();
            for event in self.receiver.received() {
                let note = event.body["data"]["target_id"].as_str().unwrap().to_owned();
                arrived.entry(note).or_default().insert(event.id);
            }
            arrived
        }
    }

    #[test]
    fn of_every_role_lose_no_event() {
        run(Setup::new(Mode::Distributed), async |deployment| {
            let mut noted = Noted::new(deployment).await;
            noted.write(deployment).await;
            noted.receiver.wait_for(1).await;
            let (mut worker, mut scheduler) = {
                let mut roles = deployment.roles();
                (roles.workers.remove(0), roles.schedulers.remove(0))
            };
            worker.process.kill();
            scheduler.process.kill();
            noted.write(deployment).await;
            deployment.let_be_silent(&worker.process).await;
            deployment.add_worker().await;
            let scheduler = deployment.spawn("scheduler");
            deployment.roles().schedulers.push(scheduler);
            noted.all_arrived().await;
        });
    }

    #[test]
    fn of_serve_lose_no_event() {
        run(Setup::new(Mode::Embedded), async |deployment| {
            let mut noted = Noted::new(deployment).await;
            noted.write(deployment).await;
            deployment.restart_serve(async |serve| serve.kill()).await;
            noted.write(deployment).await;
            noted.all_arrived().await;
        });
    }
}
