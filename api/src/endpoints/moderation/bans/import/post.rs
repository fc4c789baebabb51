//! POST /moderation/:guildId/bans/import: many bans at once, with an answer for each line (docs/rules.md 4).

use entities::import::{self, Made};
use entities::{ChatId, ImportId, Moderator, Person, PlayId, SanctionId, SanctionKind, moderation_revision};
use jobs::moderation::{Done, Imported, LiveServers, Order, Wanted, execute};

use super::judged::{BanLineResult, judge};
use super::line::BanLine;
use crate::endpoints::imports::LINES_MAX;
use crate::endpoints::prelude::*;
use crate::request::values::List;
use crate::response::rows::Seconds;

const NO_REASON: &str = "imported without a reason";

request! {
    pub(crate) struct BansImportRequest {
        bans: List<BanLine, LINES_MAX>,
        /// Say what would become of each line, and change nothing.
        dry_run: Option<bool>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ImportedBans {
    /// In the order of the request.
    bans: Vec<ImportedBan>,
    /// By which the import can be undone for a day; null: nobody was banned.
    #[schema(required)]
    import_id: Option<ImportId>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ImportedBan {
    result: BanLineResult,
    /// Of the new ban.
    #[schema(required)]
    id: Option<SanctionId>,
    #[schema(required)]
    chat_id: Option<ChatId>,
    #[schema(required)]
    play_id: Option<PlayId>,
    #[schema(required, example = "Brickmason")]
    play_username: Option<String>,
    /// Null: never.
    #[schema(required)]
    expires_at: Option<Seconds>,
    /// Of an invalid line: the field that is absent or not allowed.
    #[schema(required, example = "expires_at")]
    field: Option<&'static str>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("importBans", "Ban many users")
        .about(
            "For bans that another bot has exported. They count in every game, and are mirrored to the chat platform by the guild's \
             setting. Lines that cannot be banned do not stop the others, which are written together. They are no staff actions, \
             and remove nobody from a game server at once: its next tick names them.",
        )
        .body::<BansImportRequest>()
        .data::<ImportedBans>()
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let BansImportRequest { bans: List(mut lines), dry_run } = call.body()?;
    complete(&call, &mut lines).await?;
    if dry_run == Some(true) {
        let judged = judge(&call, call.read(), &lines, call.now()).await?;
        let bans = lines.into_iter().zip(judged).map(|(line, (result, _))| answer(line, result, None));
        return Reply::data(&ImportedBans { bans: bans.collect(), import_id: None });
    }
    call.room_for(call.read(), Cap::Sanctions, lines.len() as u64).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let mut change = moderation_revision::begin(work.tx(), call.guild(), work.now()).await?;
    let judged = judge(&call, work.tx(), &lines, work.now()).await?;
    let named = lines.iter().zip(&judged).filter(|(_, (result, _))| *result == BanLineResult::Banned);
    let named: Vec<(&BanLine, Person)> =
        named.filter_map(|(line, (_, person))| Some((line, (*person)?))).collect();
    let orders = orders(&call, &work, named).await?;
    let done = execute(&mut work, &mut change, &LiveServers::default(), &orders).await?;
    let ids: Vec<SanctionId> = done.iter().filter_map(imposed).collect();
    let import_id = if ids.is_empty() {
        None
    } else {
        let made = Made::Bans(ids.clone());
        Some(import::add(work.tx(), call.guild(), call.caller.user(), made, work.now()).await?.import_id)
    };
    let mut ids = ids.into_iter();
    let bans = lines.into_iter().zip(judged).map(|(line, (result, _))| {
        let id = if result == BanLineResult::Banned { ids.next() } else { None };
        answer(line, result, id)
    });
    let data = ImportedBans { bans: bans.collect(), import_id };
    work.commit(Reply::data(&data)?).await
}

/// Asks the game platform for ids of names, and for names of ids.
async fn complete(call: &Call, lines: &mut [BanLine]) -> Result<(), ApiError> {
    let valid = || lines.iter().filter(|line| line.wrong.is_none());
    let names: Vec<_> =
        valid().filter(|line| line.play.is_none()).filter_map(|line| line.name.clone()).collect();
    let plays: Vec<_> = valid().filter_map(|line| line.play).collect();
    let play = &call.state.platforms.play;
    let by_name = play.find_by_names(call.platform(), &names);
    let by_id = play.usernames(call.platform(), &plays);
    let (by_name, by_id) = tokio::try_join!(by_name, by_id)?;
    for line in lines.iter_mut().filter(|line| line.wrong.is_none()) {
        if let Some(play) = line.play {
            line.name = by_id.get(&play).cloned();
            line.unknown = line.name.is_none();
        } else if let Some(name) = &line.name {
            let player = by_name.get(&name.to_lowercase());
            line.unknown = player.is_none();
            if let Some(player) = player {
                (line.play, line.name) = (Some(player.id), Some(player.name.clone()));
            }
        }
    }
    Ok(())
}

/// Of the moderators whom the lines name, or of the caller.
async fn orders(
    call: &Call,
    work: &UnitOfWork<'_>,
    lines: Vec<(&BanLine, Person)>,
) -> Result<Vec<Order>, ApiError> {
    let moderators = lines.iter().filter_map(|(line, _)| line.moderator.and_then(Moderator::play));
    let moderators: Vec<_> = moderators.map(entities::Subject::Play).collect();
    let linked = Person::resolve_all(work.tx(), call.guild(), &moderators).await?;
    let linked = |play| linked.iter().find(|person| person.play == Some(play)).and_then(|person| person.chat);
    let order = |(line, person): (&BanLine, Person)| {
        Some(Order {
            kind: SanctionKind::Ban,
            subject: line.subject()?,
            person,
            moderator: line.moderator.map_or(call.caller.user(), |named| named.noted(linked)),
            sender: call.actor(),
            done_on_chat: false,
            imported: Some(Imported { done_at: line.banned_at, by_line: line.moderator.is_some() }),
            wanted: Wanted::Imposed {
                place: None,
                reason: line.reason.clone().unwrap_or_else(|| NO_REASON.to_owned()),
                expires_at: line.expires_at,
                kick: false,
            },
        })
    };
    Ok(lines.into_iter().filter_map(order).collect())
}

fn imposed(done: &Done) -> Option<SanctionId> {
    match done {
        Done::Imposed { sanction, .. } => Some(sanction.sanction_id),
        Done::Lifted { .. } => None,
    }
}

fn answer(line: BanLine, result: BanLineResult, id: Option<SanctionId>) -> ImportedBan {
    ImportedBan {
        result,
        id,
        chat_id: line.chat,
        play_id: line.play,
        play_username: line.name,
        expires_at: line.expires_at.map(Seconds),
        field: line.wrong,
    }
}
