//! A process that is started again after each end.

use testkit::{Deployment, Mode, Running};

pub(super) struct Supervised {
    role: &'static str,
    extra: Vec<(&'static str, &'static str)>,
    pub(super) deaths: usize,
}

impl Supervised {
    /// Starts all roles; `extra` is the environment of the one that runs jobs.
    pub(super) async fn start(deployment: &Deployment, extra: &[(&'static str, &'static str)]) -> Self {
        let role = if deployment.mode() == Mode::Embedded { "serve" } else { "worker" };
        if deployment.mode() == Mode::Distributed {
            let (api, scheduler) = (deployment.spawn("api"), deployment.spawn("scheduler"));
            deployment.roles().apis.push(api);
            deployment.roles().schedulers.push(scheduler);
        }
        let this = Self { role, extra: extra.to_vec(), deaths: 0 };
        this.spawn(deployment);
        deployment.wait_until_ready().await;
        this
    }

    fn place<'a>(&self, roles: &'a mut testkit::Roles) -> &'a mut Vec<Running> {
        if self.role == "serve" { &mut roles.apis } else { &mut roles.workers }
    }

    fn spawn(&self, deployment: &Deployment) {
        let running = deployment.spawn_with(self.role, &self.extra);
        self.place(&mut deployment.roles()).push(running);
    }

    /// Starts the process again if it has ended.
    pub(super) async fn tend(&mut self, deployment: &Deployment) {
        let ended = {
            let mut roles = deployment.roles();
            let running = self.place(&mut roles);
            running[0].process.has_ended().map(|_| running.remove(0))
        };
        let Some(ended) = ended else { return };
        self.deaths += 1;
        // `serve` rescues at its start.
        if deployment.mode() == Mode::Distributed {
            deployment.let_be_silent(&ended.process).await;
        }
        self.spawn(deployment);
    }

    /// Kills the process and starts one with another environment.
    pub(super) async fn replace(&mut self, deployment: &Deployment, extra: &[(&'static str, &'static str)]) {
        self.place(&mut deployment.roles()).clear();
        self.extra = extra.to_vec();
        self.spawn(deployment);
        deployment.wait_until_ready().await;
    }
}
