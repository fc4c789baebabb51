//! The processes of a deployment by role.

use crate::process::Process;

/// The processes of a deployment by role. Embedded, `serve` is the only api.
#[derive(Default)]
pub struct Roles {
    pub apis: Vec<Running>,
    pub workers: Vec<Running>,
    pub schedulers: Vec<Running>,
}

/// A process and its HTTP address.
pub struct Running {
    pub process: Process,
    pub base: String,
}

impl Roles {
    pub fn all(&mut self) -> impl Iterator<Item = &mut Running> {
        self.apis.iter_mut().chain(&mut self.workers).chain(&mut self.schedulers)
    }
}
