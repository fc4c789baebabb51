//! POST /moderation/:guildId/bans/imports/:importId/undo: lifts the bans of an import that are still in force.

use entities::import::{self, Kind, Made};
use entities::{ImportId, Person, SanctionKind, moderation_revision, sanction};
use jobs::moderation::{Done, Imported, LiveServers, Order, Wanted, execute};

use crate::endpoints::imports::open;
use crate::endpoints::moderation::own::check_other;
use crate::endpoints::prelude::*;

const REASON: &str = "the import was undone";

#[derive(Serialize, ToSchema)]
pub(crate) struct UndoneBanImport {
    /// Bans that were lifted.
    #[schema(example = 40)]
    undone: usize,
    /// Bans that had ended, or that another ban has replaced.
    #[schema(example = 2)]
    left: usize,
}

pub(crate) fn operation() -> Operation {
    Operation::new("undoBanImport", "Undo an import of bans")
        .about("Within a day, once. Bans that were lifted, that have ended or that another ban has replaced stay as they are.")
        .data::<UndoneBanImport>()
        .message("the import is undone")
        .refuses(409, &["import_undone"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: ImportId = call.path("importId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let mut change = moderation_revision::begin(work.tx(), call.guild(), work.now()).await?;
    let mut row = open(&work, call.guild(), id, Kind::Bans).await?;
    let Made::Bans(ids) = &row.made else { return Err(ApiError::internal("an import of links")) };
    let (made, mut orders) = (ids.len(), Vec::new());
    let rows = sanction::history::of_ids(work.tx(), call.guild(), ids).await?;
    let named: Vec<_> =
        rows.iter().filter(|row| row.in_force(work.now())).filter_map(sanction::Model::subject).collect();
    check_other(&call, &named).await?;
    let people = Person::resolve_all(work.tx(), call.guild(), &named).await?;
    let in_force = rows.iter().filter(|row| row.in_force(work.now()) && row.subject().is_some());
    for ((ban, subject), person) in in_force.zip(named).zip(people) {
        orders.push(Order {
            kind: SanctionKind::Ban,
            subject,
            person,
            moderator: call.caller.user(),
            sender: call.actor(),
            done_on_chat: false,
            imported: Some(Imported::default()),
            wanted: Wanted::Lifted {
                place: None,
                only: Some(ban.sanction_id),
                reason: Some(REASON.to_owned()),
            },
        });
    }
    let done = execute(&mut work, &mut change, &LiveServers::default(), &orders).await?;
    let undone = done.iter().filter(|done| Done::changed(done)).count();
    row.undone_at = Some(work.now());
    import::save(work.tx(), &row).await?;
    let data = UndoneBanImport { undone, left: made - undone };
    work.commit(Reply::data(&data)?.with_message("the import is undone")).await
}
