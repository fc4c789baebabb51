//! The life of the communities: its pace, changes at once, and what it did.

use std::collections::BTreeSet;

use entities::ChatId;
use serde::Deserialize;
use serde_json::json;

use crate::life::change::LifeChange;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;

/// Changes that one call makes.
const MAX_STEPS: usize = 10_000;
/// A hundred a second.
const MAX_RATE: u32 = 360_000;

/// Absent fields stay unchanged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LifeForm {
    /// Changes an hour from now on; 0: none.
    changes_an_hour: Option<u32>,
    seed: Option<u64>,
    /// People whom it leaves alone.
    spare: Option<BTreeSet<ChatId>>,
    /// So many changes at once.
    steps: Option<usize>,
    /// These changes at once.
    changes: Option<Vec<LifeChange>>,
}

/// `GET /control/life`: its settings, counts by kind, the last changes, and what the bot should have left alone and did not.
pub(crate) fn report(simulator: &Simulator, _: &Input) -> Reply {
    let life = simulator.life();
    Reply::ok(life.report(&simulator.state()))
}

/// `POST /control/life`: answers with the changes that were made at once.
pub(crate) fn change_life(simulator: &Simulator, input: &Input) -> Reply {
    let form = serde_json::from_slice(&input.body).map_err(|error| error.to_string());
    match form.and_then(|form| live(simulator, form)) {
        Ok(changes) => Reply::ok(json!({ "changes": changes })),
        Err(error) => Reply::bad_control(error),
    }
}

fn live(simulator: &Simulator, form: LifeForm) -> Result<Vec<LifeChange>, String> {
    let LifeForm { changes_an_hour, seed, spare, steps, changes } = form;
    let is_empty = seed.is_none() && spare.is_none() && steps.is_none() && changes.is_none();
    if changes_an_hour.is_none() && is_empty {
        return Err("give at least one of changes_an_hour, seed, spare, steps and changes".to_owned());
    }
    if changes_an_hour.is_some_and(|rate| rate > MAX_RATE) {
        return Err(format!("changes_an_hour: must be at most {MAX_RATE}"));
    }
    if steps.is_some_and(|steps| steps > MAX_STEPS) {
        return Err(format!("steps: must be at most {MAX_STEPS}"));
    }
    let mut life = simulator.life();
    if let Some(seed) = seed {
        life.set_seed(seed);
    }
    if let Some(spare) = spare {
        life.spared = spare;
    }
    if let Some(rate) = changes_an_hour {
        life.set_rate(rate);
        simulator.repaced.notify_one();
    }
    let (mut state, mut made) = (simulator.state_mut(), changes.unwrap_or_default());
    for (index, change) in made.iter().enumerate() {
        let done = life.make(&mut state, change.clone());
        done.map_err(|error| format!("changes: number {index}: {error}"))?;
    }
    for _ in 0..steps.unwrap_or(0) {
        made.push(life.step(&mut state).ok_or("steps: nothing can change in these communities")?);
    }
    Ok(made)
}
