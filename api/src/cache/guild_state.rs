//! The bans, mutes and links of one guild in memory: about 110 bytes for a banned and linked person. The
//! first read is immutable; accounts whose sanctions changed since are kept beside it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use entities::sanction::active::InForce;
use entities::{ChatId, Person, PlaceId, PlayId, SanctionKind, Subject, Timestamp, sanction};
use tokio::sync::SetOnce;

use crate::cache::by_number::{ByNumber, Numbered};
use crate::cache::sanctions::{Held, Question, Sanction, Sanctions, in_force};

/// About the bytes of an account that changed since its guild was read.
const CHANGED_ACCOUNT_BYTES: usize = 400;

impl Numbered for (ChatId, PlayId) {
    fn number(&self) -> i64 {
        self.0.get()
    }
}

impl Numbered for (PlayId, ChatId) {
    fn number(&self) -> i64 {
        self.0.get()
    }
}

/// What one read of the guild returned.
pub(crate) struct Base {
    sanctions: Sanctions,
    by_chat: ByNumber<(ChatId, PlayId)>,
    by_play: ByNumber<(PlayId, ChatId)>,
    /// Accounts that changed while it was read.
    changed_before: usize,
}

impl Base {
    pub(crate) fn new(rows: Vec<InForce>, links: Vec<(ChatId, PlayId)>) -> Self {
        let by_play = ByNumber::new(links.iter().map(|(chat, play)| (*play, *chat)).collect());
        let by_chat = ByNumber::new(links);
        Self { sanctions: Sanctions::new(rows), by_chat, by_play, changed_before: 0 }
    }

    fn person(&self, subject: Subject) -> Person {
        let (chat, play) = match subject {
            Subject::Chat(chat) => (Some(chat), self.by_chat.find(chat.get()).map(|(_, play)| *play).next()),
            Subject::Play(play) => (self.by_play.find(play.get()).map(|(_, chat)| *chat).next(), Some(play)),
        };
        Person { chat, play }
    }
}

/// The sanctions of an account that changed since the guild was read.
#[derive(Clone)]
struct Changed {
    /// Counts the changes, so that rows read before a change are not kept after it.
    generation: u64,
    /// `None`: to be read.
    sanctions: Option<Arc<Sanctions>>,
}

/// The state of a guild. Until it is filled it only collects changes.
#[derive(Default)]
pub(crate) struct GuildState {
    base: SetOnce<Base>,
    changed: RwLock<HashMap<Subject, Changed>>,
    generations: AtomicU64,
    used_at: AtomicU64,
}

/// A player who is banned or muted.
pub(crate) struct Sanctioned {
    pub(crate) play: PlayId,
    pub(crate) ban: Option<Sanction>,
    pub(crate) mute: Option<Sanction>,
}

/// The result of a look-up in the state.
pub(crate) enum Look {
    Found(Option<Sanction>),
    /// These accounts changed: read them, and [`GuildState::put`] them.
    Missing(Vec<Missing>),
    /// The guild is still being read.
    NotFilled,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Missing {
    pub(crate) account: Subject,
    generation: u64,
}

impl GuildState {
    /// Call it once.
    pub(crate) fn fill(&self, mut base: Base) {
        base.changed_before = self.changed_accounts();
        let _ = self.base.set(base);
    }

    pub(crate) async fn filled(&self) {
        self.base.wait().await;
    }

    /// 0 until it is filled.
    pub(crate) fn bytes(&self) -> usize {
        let parts = |base: &Base| [base.sanctions.bytes(), base.by_chat.bytes(), base.by_play.bytes()];
        let changed = self.changed_accounts() * CHANGED_ACCOUNT_BYTES;
        self.base.get().map_or(0, |base| parts(base).iter().sum::<usize>() + size_of::<Self>() + changed)
    }

    pub(crate) fn used_at(&self) -> u64 {
        self.used_at.load(Ordering::Relaxed)
    }

    /// Seconds since the start of the process. Most calls write nothing, so that processors share the cache
    /// line.
    pub(crate) fn use_at(&self, second: u64) {
        if self.used_at() != second {
            self.used_at.store(second, Ordering::Relaxed);
        }
    }

    /// Whether so much has changed since the guild was read that it should be read again.
    pub(crate) fn needs_reload(&self) -> bool {
        // A read of the guild is never begun anew: during a mass import it would not end.
        let Some(base) = self.base.get() else { return false };
        self.changed_accounts() > base.changed_before + 1_000 + base.sanctions.len() / 8
    }

    fn changed_accounts(&self) -> usize {
        self.changed.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The sanctions of the account changed.
    pub(crate) fn invalidate(&self, account: Subject) {
        let generation = self.generations.fetch_add(1, Ordering::Relaxed);
        let mut changed = self.changed.write().unwrap_or_else(PoisonError::into_inner);
        changed.insert(account, Changed { generation, sanctions: None });
    }

    /// Keeps the sanctions of a changed account, unless it changed again.
    pub(crate) fn put(&self, missing: Missing, rows: Vec<sanction::Model>) {
        let sanctions = Some(Arc::new(Sanctions::new(in_force(rows))));
        let mut changed = self.changed.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) =
            changed.get_mut(&missing.account).filter(|entry| entry.generation == missing.generation)
        {
            entry.sanctions = sanctions;
        }
    }

    /// The ban and the mute of each player who has one, as [`look`](Self::look) finds them. `None`: not all of them are in
    /// memory.
    pub(crate) fn look_at_all(
        &self,
        plays: &[PlayId],
        place: Option<PlaceId>,
        now: Timestamp,
    ) -> Option<Vec<Sanctioned>> {
        let base = self.base.get()?;
        let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
        let mut all = Vec::new();
        for play in plays {
            let ask = Question { kind: SanctionKind::Ban, subject: Subject::Play(*play), place, now };
            let mut best: [Option<(&Held, &str)>; 2] = [None, None];
            for account in base.person(ask.subject).accounts() {
                let sanctions = match changed.get(&account) {
                    None => &base.sanctions,
                    Some(Changed { sanctions, .. }) => sanctions.as_deref()?,
                };
                for found in sanctions.all_of(account, ask) {
                    let best = &mut best[usize::from(found.0.kind() == SanctionKind::Mute)];
                    *best = (*best).into_iter().chain([found]).max_by_key(|(held, _)| held.end_order());
                }
            }
            if best.iter().any(Option::is_some) {
                let [ban, mute] = best.map(|found| found.and_then(|(held, reason)| held.to_sanction(reason)));
                all.push(Sanctioned { play: *play, ban, mute });
            }
        }
        Some(all)
    }

    pub(crate) fn look(&self, ask: Question) -> Look {
        let Some(base) = self.base.get() else { return Look::NotFilled };
        let accounts = base.person(ask.subject).accounts();
        let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
        let mut missing = Vec::new();
        let mut best: Option<(&Held, &str)> = None;
        for account in accounts {
            let sanctions = match changed.get(&account) {
                None => &base.sanctions,
                Some(Changed { sanctions: Some(sanctions), .. }) => sanctions,
                Some(Changed { generation, .. }) => {
                    missing.push(Missing { account, generation: *generation });
                    continue;
                }
            };
            let found = sanctions.find(account, ask);
            best = best.into_iter().chain(found).max_by_key(|(held, _)| held.end_order());
        }
        if missing.is_empty() {
            Look::Found(best.and_then(|(held, reason)| held.to_sanction(reason)))
        } else {
            Look::Missing(missing)
        }
    }
}
