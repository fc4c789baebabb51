//! Names for the ids in entries, read once for all entries of a page, and the persons behind them.

use entities::audit_entry::Model;
use people::audit::action_table::target_of;
use people::audit::{Ids, Names as Words, Style, Target};
use serde_json::Value;

use super::changes::Shown;
use crate::pages::guilds::people::{People, Who};
use crate::response::PageError;
use crate::visit::GuildVisit;

pub(super) struct Names {
    people: People,
    words: Words,
}

impl Names {
    pub(super) async fn read(visit: &GuildVisit, entries: &[Model]) -> Result<Self, PageError> {
        let ids = Ids::of(entries);
        let people = People::read(visit, ids.persons()).await?;
        let names = ids.persons().map(|subject| (subject, people.who(visit, subject).name)).collect();
        let words = Words::read(visit.read(), visit.platforms(), visit.call_context(), &ids, names).await?;
        Ok(Self { people, words })
    }

    pub(super) fn who(&self, visit: &GuildVisit, id: &str) -> Option<Who> {
        id.parse().ok().map(|subject| self.people.who(visit, subject))
    }

    /// The names of actor and target, and the sentence.
    pub(super) fn told(&self, visit: &GuildVisit, entry: &Model) -> [String; 3] {
        let name = |who: Option<Who>| who.map(|who| who.name).unwrap_or_default();
        let actor = if entry.actor_id == 0 {
            "Guildhall".to_owned()
        } else {
            name(self.who(visit, &entry.actor_id.to_string()))
        };
        [actor, name(self.target(visit, entry)), self.sentence(entry)]
    }

    /// The person whom an entry is about. Ids of other targets look alike.
    pub(super) fn target(&self, visit: &GuildVisit, entry: &Model) -> Option<Who> {
        let id = (target_of(entry) == Target::Person).then_some(entry.target_id.as_str());
        id.and_then(|id| self.who(visit, id))
    }

    pub(super) fn sentence(&self, entry: &Model) -> String {
        people::audit::sentence(&self.words, entry, Style::SHORT)
    }

    /// A value of a field, with its id beside the name.
    pub(super) fn shown(&self, visit: &GuildVisit, field: &str, value: &Value) -> Shown {
        match value.as_str().and_then(|text| text.parse().ok()) {
            Some(at) => Shown::Time(visit.when(at)),
            None => self.words.value(field, value, Style::WITH_IDS).into(),
        }
    }

    pub(super) fn in_short(&self, field: &str, value: &Value) -> String {
        self.words.value(field, value, Style::SHORT)
    }
}
