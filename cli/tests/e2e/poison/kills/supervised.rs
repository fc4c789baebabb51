//! A process that is started again whenever it has ended.

use crate::harness::{Mode, Running, World};

pub(super) struct Supervised {
    role: &'static str,
    extra: Vec<(&'static str, &'static str)>,
    pub(super) deaths: usize,
}

impl Supervised {
    /// Starts what runs jobs in this mode, told this; and whatever else there is, as usual.
    pub(super) async fn start(world: &World, extra: &[(&'static str, &'static str)]) -> Self {
        let role = if world.mode() == Mode::Embedded { "serve" } else { "worker" };
        if world.mode() == Mode::Distributed {
            let (api, scheduler) = (world.spawn("api"), world.spawn("scheduler"));
            world.roles().apis.push(api);
            world.roles().schedulers.push(scheduler);
        }
        let this = Self { role, extra: extra.to_vec(), deaths: 0 };
        this.spawn(world);
        world.wait_until_ready().await;
        this
    }

    fn place<'a>(&self, roles: &'a mut crate::harness::Roles) -> &'a mut Vec<Running> {
        if self.role == "serve" { &mut roles.apis } else { &mut roles.workers }
    }

    fn spawn(&self, world: &World) {
        let running = world.spawn_with(self.role, &self.extra);
        self.place(&mut world.roles()).push(running);
    }

    /// Starts it again where it has ended.
    pub(super) fn tend(&mut self, world: &World) {
        let ended = {
            let mut roles = world.roles();
            let running = self.place(&mut roles);
            let ended = running[0].process.has_ended().is_some();
            if ended {
                running.clear();
            }
            ended
        };
        if ended {
            self.deaths += 1;
            self.spawn(world);
        }
    }

    /// Ends it and starts one that is told something else.
    pub(super) async fn replace(&mut self, world: &World, extra: &[(&'static str, &'static str)]) {
        self.place(&mut world.roles()).clear();
        self.extra = extra.to_vec();
        self.spawn(world);
        world.wait_until_ready().await;
    }
}
