//! Bans and mutes by account, as checks look for them: small, and never changed.

use entities::sanction::active::InForce;
use entities::{ChatId, PlaceId, PlayId, SanctionId, SanctionKind, Subject, Timestamp, sanction};

use crate::cache::by_number::{ByNumber, Numbered};

/// A check for a ban or mute of a person.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) kind: SanctionKind,
    pub(crate) subject: Subject,
    /// `None`: anywhere.
    pub(crate) place: Option<PlaceId>,
    pub(crate) now: Timestamp,
}

/// A ban or mute as checks return it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sanction {
    pub(crate) id: SanctionId,
    pub(crate) identifier: Subject,
    pub(crate) place_id: Option<PlaceId>,
    pub(crate) reason: String,
    pub(crate) moderator_id: ChatId,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
}

/// A row without its reason. Times are microseconds since 1970.
pub(crate) struct Held {
    account: i64,
    id: SanctionId,
    moderator: ChatId,
    place: Option<PlaceId>,
    created_at: i64,
    /// `i64::MAX`: never.
    expires_at: i64,
    /// Where the reason begins, and its bytes.
    reason: (u32, u32),
    kind: SanctionKind,
}

impl Numbered for Held {
    fn number(&self) -> i64 {
        self.account
    }
}

/// Sanctions by account.
pub(crate) struct Sanctions {
    held: ByNumber<Held>,
    reasons: Box<str>,
}

/// One number for an account: ids of both platforms are positive.
fn number(account: Subject) -> i64 {
    match account {
        Subject::Chat(chat) => chat.get(),
        Subject::Play(play) => -play.get(),
    }
}

fn subject(number: i64) -> Option<Subject> {
    let chat = ChatId::try_from(number).map(Subject::Chat);
    chat.or_else(|_| PlayId::try_from(-number).map(Subject::Play)).ok()
}

impl Sanctions {
    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }

    pub(crate) fn new(rows: Vec<InForce>) -> Self {
        let mut reasons = String::with_capacity(rows.iter().map(|row| row.reason.len()).sum());
        let mut held = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(account) = row.subject() else { continue };
            let at = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
            held.push(Held {
                account: number(account),
                id: row.sanction_id,
                moderator: row.moderator_id,
                place: row.place_id,
                created_at: row.created_at.timestamp_micros(),
                expires_at: row.expires_at.map_or(i64::MAX, |end| end.timestamp_micros()),
                reason: (at(reasons.len()), at(row.reason.len())),
                kind: row.kind,
            });
            reasons.push_str(&row.reason);
        }
        Self { held: ByNumber::new(held), reasons: reasons.into() }
    }

    /// The sanction of the account that applies; of several the one that ends last.
    pub(crate) fn find(&self, account: Subject, ask: Question) -> Option<(&Held, &str)> {
        let applying = self.held.find(number(account)).filter(|held| held.applies(ask));
        applying.max_by_key(|held| held.end_order()).map(|held| (held, self.reason(held)))
    }

    /// Those of every kind that apply to the account, unless it has none.
    pub(crate) fn all_of(&self, account: Subject, ask: Question) -> impl Iterator<Item = (&Held, &str)> {
        let applying = self
            .held
            .find(number(account))
            .filter(move |held| held.applies(Question { kind: held.kind, ..ask }));
        applying.map(|held| (held, self.reason(held)))
    }

    fn reason(&self, held: &Held) -> &str {
        let (at, length) = (held.reason.0 as usize, held.reason.1 as usize);
        self.reasons.get(at..at + length).unwrap_or_default()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.held.bytes() + self.reasons.len()
    }
}

impl Held {
    pub(crate) fn kind(&self) -> SanctionKind {
        self.kind
    }

    fn applies(&self, ask: Question) -> bool {
        self.kind == ask.kind
            && self.expires_at > ask.now.timestamp_micros()
            && ask.place.is_none_or(|place| self.place.is_none_or(|own| own == place))
    }

    pub(crate) fn end_order(&self) -> impl Ord + use<> {
        (self.expires_at, self.id)
    }

    pub(crate) fn to_sanction(&self, reason: &str) -> Option<Sanction> {
        Some(Sanction {
            id: self.id,
            identifier: subject(self.account)?,
            place_id: self.place,
            reason: reason.to_owned(),
            moderator_id: self.moderator,
            created_at: Timestamp::from_timestamp_micros(self.created_at)?,
            expires_at: Timestamp::from_timestamp_micros(self.expires_at),
        })
    }
}

pub(crate) fn in_force(rows: Vec<sanction::Model>) -> Vec<InForce> {
    rows.into_iter().map(InForce::from).collect()
}

/// The sanction that applies among rows of one person.
pub(crate) fn find_in(rows: Vec<sanction::Model>, ask: Question) -> Option<Sanction> {
    let rows = in_force(rows);
    let accounts: Vec<_> = rows.iter().filter_map(InForce::subject).collect();
    let sanctions = Sanctions::new(rows);
    let found = accounts.into_iter().filter_map(|account| sanctions.find(account, ask));
    found.max_by_key(|(held, _)| held.end_order()).and_then(|(held, reason)| held.to_sanction(reason))
}
