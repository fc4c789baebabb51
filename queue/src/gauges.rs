//! What an operator watches, read from the database when somebody asks: so it is true of any process, and never old.

use entities::job::{Class, State, listing, retry, time};
use entities::job_pause;
use entities::process::{self, Role};
use runtime::{Context, Gauge};
use sea_orm::DbErr;

/// Jobs and pauses, and the living processes of each role.
pub async fn gauges(context: &Context) -> Result<Vec<Gauge>, DbErr> {
    let (conn, own) = (context.database.read(), context.clock.now());
    let now = time::read(conn, own).await?;
    let pauses = job_pause::list(conn).await?;
    let mut gauges = Vec::new();
    for &class in Class::ALL {
        let backlog = listing::backlog(conn, class, own).await?;
        let oldest = backlog.oldest.and_then(|since| (now - since).to_std().ok()).unwrap_or_default();
        let is_paused = pauses.iter().any(|pause| pause.class == Some(class));
        let mut add = |name, value| gauges.push(Gauge { name, label: Some(("class", class.name())), value });
        add("guildhall_jobs_paused", f64::from(u8::from(is_paused)));
        add("guildhall_jobs_queued", count(backlog.available));
        add("guildhall_jobs_held", count(backlog.held));
        add("guildhall_jobs_oldest_seconds", oldest.as_secs_f64());
    }
    let mut add = |name, value| gauges.push(Gauge { name, label: None, value });
    add("guildhall_guilds_paused", count(pauses.iter().filter(|pause| pause.guild_id.is_some()).count()));
    for (name, state) in [("guildhall_jobs_dead", State::Dead), ("guildhall_jobs_failed", State::Failed)] {
        let which = retry::Which { state: Some(state), ..retry::Which::default() };
        add(name, count(retry::count_failed(conn, which).await?));
    }
    let alive = process::alive(conn, own).await?;
    for &role in Role::ALL {
        let value = count(alive.roles.get(&role).copied().unwrap_or_default());
        gauges.push(Gauge { name: "guildhall_processes", label: Some(("role", role.name())), value });
    }
    Ok(gauges)
}

fn count(rows: impl TryInto<u32>) -> f64 {
    f64::from(rows.try_into().unwrap_or(u32::MAX))
}
