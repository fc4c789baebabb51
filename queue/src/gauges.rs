//! What an operator watches, read from the database when somebody asks: so it is true of any process, and never old.

use entities::job::{Class, listing, time};
use entities::process::{self, Role};
use runtime::{Context, Gauge};
use sea_orm::DbErr;

/// Waiting jobs of each class, and the living processes of each role.
pub async fn gauges(context: &Context) -> Result<Vec<Gauge>, DbErr> {
    let (conn, own) = (context.database.read(), context.clock.now());
    let now = time::read(conn, own).await?;
    let mut gauges = Vec::new();
    for &class in Class::ALL {
        let backlog = listing::backlog(conn, class, own).await?;
        let oldest = backlog.oldest.and_then(|since| (now - since).to_std().ok()).unwrap_or_default();
        let mut add = |name, value| gauges.push(Gauge { name, label: ("class", class.name()), value });
        add("guildhall_jobs_queued", count(backlog.available));
        add("guildhall_jobs_held", count(backlog.held));
        add("guildhall_jobs_oldest_seconds", oldest.as_secs_f64());
    }
    let alive = process::alive(conn, own).await?;
    for &role in Role::ALL {
        let number = alive.roles.get(&role).copied().unwrap_or_default();
        gauges.push(Gauge {
            name: "guildhall_processes",
            label: ("role", role.name()),
            value: count(i64::try_from(number).unwrap_or(i64::MAX)),
        });
    }
    Ok(gauges)
}

fn count(rows: i64) -> f64 {
    f64::from(u32::try_from(rows).unwrap_or(u32::MAX))
}
