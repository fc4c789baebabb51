//! The person that the form of a ban or mute names: shown before it is sent, to avoid a ban of the wrong
//! person.

use entities::{Person, Subject, sanction};

use super::order::Order;
use super::player::Player;
use super::{Kind, Row, shown};
use crate::fields::Fields;
use crate::html::candidate::Unresolved;
use crate::pages::guilds::candidates::Among;
use crate::pages::guilds::people::{Standing, Who, identify};
use crate::pages::guilds::typed::resolve;
use crate::response::PageError;
use crate::visit::GuildVisit;

pub(super) struct Target {
    pub(super) subject: Subject,
    person: Person,
    pub(super) who: Who,
    pub(super) standing: Standing,
    /// Of somebody without a link who was named by the name on Roblox: anybody may have taken it.
    pub(super) player: Option<Player>,
    /// Active ones of the kind, for people who may see them.
    active: Vec<sanction::Model>,
}

/// An active one as the form shows it.
pub(super) struct Active {
    pub(super) row: Row,
    /// The new one takes its place.
    pub(super) gives_way: bool,
}

impl Target {
    /// `Err`: the error of the input.
    pub(super) async fn read(
        visit: &GuildVisit,
        kind: Kind,
        form: &Fields,
    ) -> Result<Result<Self, Unresolved>, PageError> {
        let subject = match resolve(visit, form, "identifier", Among::Everybody).await? {
            Ok(subject) => subject,
            Err(problem) => return Ok(Err(problem)),
        };
        let (conn, guild) = (visit.read(), visit.guild.guild_id);
        let person = Person::resolve(conn, guild, subject).await?;
        // People who ban themselves are out of the guild, and cannot lift the ban.
        if person.chat == Some(visit.session.row.user_id) {
            return Ok(Err("This is your own account.".into()));
        }
        let mut active = sanction::active::of_person(conn, guild, person, visit.now()).await?;
        active.retain(|row| row.kind == kind.0 && visit.may("moderation.read"));
        let (who, standing) = identify(visit, subject).await?;
        let player = match subject {
            Subject::Play(play)
                if standing == Standing::Unlinked(None) && form.text("identifier") != play.to_string() =>
            {
                Some(Player::read(visit, play).await?)
            }
            _ => None,
        };
        Ok(Ok(Self { subject, person, who, standing, player, active }))
    }

    /// Discord or Roblox, whose id it is.
    pub(super) fn platform(&self) -> &'static str {
        match self.subject {
            Subject::Chat(_) => "Discord",
            Subject::Play(_) => "Roblox",
        }
    }

    /// Whether the platform has no such account, and the person has not confirmed the id.
    pub(super) fn is_doubtful(&self, form: &Fields) -> bool {
        self.standing == Standing::Unknown && form.text("unknown") != self.subject.to_string()
    }

    /// Whether the form was sent before it showed the player.
    pub(super) fn is_unseen(&self, form: &Fields) -> bool {
        self.player.is_some() && form.text("seen") != self.subject.to_string()
    }

    /// The one whose place the order takes.
    pub(super) fn replaced(&self, order: &Order<'_>) -> Option<&sanction::Model> {
        self.active.iter().find(|row| order.replaces(self.person, row))
    }

    pub(super) async fn active(
        &self,
        visit: &GuildVisit,
        order: &Order<'_>,
    ) -> Result<Vec<Active>, PageError> {
        let rows = shown(visit, &self.active).await?;
        let active = rows.into_iter().zip(&self.active);
        Ok(active.map(|(row, model)| Active { row, gives_way: order.replaces(self.person, model) }).collect())
    }
}
