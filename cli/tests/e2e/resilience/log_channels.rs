//! Processes die while news are posted in a log channel: each is posted all the same, once, in the order of the log.

mod kills {
    use reqwest::Method;
    use serde_json::json;
    use testkit::{Deployment, Mode, Setup, eventually, run};

    use super::super::leading::RESCUED_WITHIN;

    /// Within a minute a key writes 50.
    const BANS: usize = 12;

    async fn set(deployment: &Deployment) {
        let guild = deployment.guild();
        let path = format!("/guilds/{0}/log-channels/{0}", guild.id);
        let api = deployment.api().key(&guild.admin_key);
        api.send(Method::PUT, &path, Some(json!({ "news": ["moderation"] }))).await.ok();
    }

    /// Bans these players.
    async fn ban(deployment: &Deployment, numbers: std::ops::Range<usize>) {
        let guild = deployment.guild();
        for number in numbers {
            let ban = json!({ "identifier": (100_000 + number).to_string(), "reason": "raid", "moderator_id": "0" });
            let api = deployment.api().key(&guild.admin_key);
            api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
        }
    }

    async fn posted(deployment: &Deployment) -> Vec<String> {
        let messages = deployment.simulator.messages_in(&deployment.guild().id).await;
        let embeds = messages.iter().flat_map(|message| message["embeds"].as_array().unwrap());
        embeds.map(|embed| embed["description"].as_str().unwrap().to_owned()).collect()
    }

    async fn wait_for(deployment: &Deployment, news: usize) -> Vec<String> {
        eventually("every ban is posted", RESCUED_WITHIN, async || {
            let posted = posted(deployment).await;
            (posted.len() >= news).then_some(posted)
        })
        .await
    }

    async fn all_are_posted_once(deployment: &Deployment) {
        let posted = wait_for(deployment, 2 * BANS).await;
        let numbers: Vec<bool> = posted
            .iter()
            .enumerate()
            .map(|(number, text)| text.contains(&(100_000 + number).to_string()))
            .collect();
        assert!(posted.len() == 2 * BANS && numbers.iter().all(|right| *right), "{posted:#?}");
    }

    /// The next message is posted, but its worker does not hear of it.
    async fn hang(deployment: &Deployment) {
        let route = "POST /channels/:channel/messages";
        deployment.fault(json!({ "route": route, "hang_ms": 60_000, "served": true, "count": 1 })).await;
    }

    #[test]
    fn of_every_role_lose_and_repeat_no_news() {
        run(Setup::new(Mode::Distributed), async |deployment| {
            set(deployment).await;
            hang(deployment).await;
            ban(deployment, 0..BANS).await;
            wait_for(deployment, 1).await;
            let (mut worker, mut scheduler) = {
                let mut roles = deployment.roles();
                (roles.workers.remove(0), roles.schedulers.remove(0))
            };
            worker.process.kill();
            scheduler.process.kill();
            ban(deployment, BANS..2 * BANS).await;
            deployment.let_be_silent(&worker.process).await;
            deployment.add_worker().await;
            let scheduler = deployment.spawn("scheduler");
            deployment.roles().schedulers.push(scheduler);
            all_are_posted_once(deployment).await;
        });
    }

    #[test]
    fn of_serve_lose_and_repeat_no_news() {
        run(Setup::new(Mode::Embedded), async |deployment| {
            set(deployment).await;
            hang(deployment).await;
            ban(deployment, 0..BANS).await;
            wait_for(deployment, 1).await;
            deployment.restart_serve(async |serve| serve.kill()).await;
            ban(deployment, BANS..2 * BANS).await;
            all_are_posted_once(deployment).await;
        });
    }
}
