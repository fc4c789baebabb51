//! Ban checks of other guilds beside an attack, and the same requests to a bare server.

use std::time::Duration;

use testkit::Deployment;

use crate::calls::{self, Call};
use crate::http::ceiling::Ceiling;
use crate::http::load;

const CHECKS: usize = 4_000;

/// Milliseconds of each check.
#[derive(Default)]
pub(super) struct Times {
    pub(super) own: Vec<f64>,
    pub(super) bare: Vec<f64>,
}

impl Times {
    pub(super) fn extend(&mut self, more: Self) {
        self.own.extend(more.own);
        self.bare.extend(more.bare);
    }
}

pub(super) struct Beside {
    base: String,
    checks: Vec<Call>,
    bare: Ceiling,
}

impl Beside {
    pub(super) async fn start(deployment: &Deployment) -> anyhow::Result<Self> {
        let (base, checks) =
            (deployment.api_base(0), (0..CHECKS).map(|n| check(deployment, n)).collect::<Vec<_>>());
        let bare = Ceiling::start(deployment.folder(), &base, &checks[0].request()).await?;
        Ok(Self { base, checks, bare })
    }

    /// Checks for so long, at a pace that leaves both servers mostly idle.
    pub(super) async fn check(&self, within: Duration) -> anyhow::Result<Times> {
        let own = calls::check_for(&self.base, &self.checks, within);
        let bare = calls::check_for(&self.bare.base, &self.checks, within);
        let (own, bare) = tokio::try_join!(own, bare)?;
        Ok(Times { own, bare })
    }
}

/// A ban check of one of the other guilds.
fn check(deployment: &Deployment, n: usize) -> Call {
    let index = 1 + n % (deployment.fixture.guilds.len() - 1);
    let guild = &deployment.fixture.guilds[index];
    let player = guild.members[n * 37 % guild.members.len()].play;
    Call::new(&format!("/moderation/{}/ban-status/{player}", guild.id), index, n % load::KEYS)
}
