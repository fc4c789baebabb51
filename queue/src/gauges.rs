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
        let of_class = [
            Gauge::count("guildhall_jobs_paused", u8::from(is_paused)),
            Gauge::count("guildhall_jobs_queued", backlog.available),
            Gauge::count("guildhall_jobs_held", backlog.held),
            Gauge::count("guildhall_jobs_running", listing::count_running(conn, class).await?),
            Gauge::new("guildhall_jobs_oldest_seconds", oldest.as_secs_f64()),
        ];
        gauges.extend(of_class.map(|gauge| gauge.with("class", class.name())));
    }
    let guilds = pauses.iter().filter(|pause| pause.guild_id.is_some()).count();
    gauges.push(Gauge::count("guildhall_guilds_paused", guilds));
    for (name, state) in [("guildhall_jobs_dead", State::Dead), ("guildhall_jobs_failed", State::Failed)] {
        let all = retry::Which { state: Some(state), ..retry::Which::default() };
        // A guild's own host that is away is no trouble of the operator.
        let deliveries = retry::Which { class: Some(Class::Delivery), ..all };
        let count = retry::count_failed(conn, all).await?;
        gauges.push(Gauge::count(name, count - retry::count_failed(conn, deliveries).await?));
    }
    let alive = process::alive(conn, own).await?;
    for &role in Role::ALL {
        let processes = alive.roles.get(&role).copied().unwrap_or_default();
        gauges.push(Gauge::count("guildhall_processes", processes).with("role", role.name()));
    }
    Ok(gauges)
}
