//! Automatic syncs as the page shows them: when the next one starts, what the last one did, their pace.

use entities::follow::{self, Model};
use platforms::FollowPace;

use crate::html::form::Form;
use crate::html::format::{Count, When};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Value of the form, minutes, and words.
const PACES: [(&str, Option<i32>, &str); 7] = [
    ("", None, "As often as the platform\u{2019}s limits allow"),
    ("15", Some(15), "Every 15 minutes"),
    ("60", Some(60), "Every hour"),
    ("360", Some(360), "Every 6 hours"),
    ("1440", Some(1_440), "Every day"),
    ("10080", Some(10_080), "Every week"),
    ("0", Some(0), "Off"),
];

const OFF_HERE: &str =
    "The operator of this service has switched them off: members change when somebody syncs.";
const NO_BOT: &str = "None starts: Guildhall has no bot here. The operator of this service sets its token, GUILDHALL_CHAT_TOKEN.";
const OFF: &str = "They are off: members change when somebody syncs.";

pub(super) struct Follow {
    /// Why none starts.
    pub(super) never: Option<&'static str>,
    /// None starts while nobody is linked.
    pub(super) is_without_members: bool,
    /// Address of the pass that is under way.
    pub(super) job: Option<String>,
    pub(super) next: When,
    pub(super) ended: Option<When>,
    pub(super) changed: Count<i64>,
    /// When all members were last looked at, by whatever.
    pub(super) looked: Option<When>,
    pub(super) stopped: Option<String>,
    pub(super) brake_percent: String,
    /// Value, words, and whether it is chosen.
    pub(super) paces: Vec<(String, String, bool)>,
}

impl Follow {
    pub(super) async fn read(visit: &GuildVisit, form: &Form, members: u64) -> Result<Self, PageError> {
        let row = follow::read(visit.read(), visit.guild.guild_id, visit.now()).await?;
        let by_operator = if visit.platforms().follow_pace == FollowPace::Off {
            Some(OFF_HERE)
        } else if !visit.platforms().chat.is_configured() {
            Some(NO_BOT)
        } else {
            None
        };
        let is_off = row.is_off() && row.stopped.is_none();
        Ok(Self {
            never: by_operator.or(is_off.then_some(OFF)),
            is_without_members: members == 0,
            job: row.job_id.map(|job| visit.url(&format!("/jobs/{job}"))),
            next: visit.when(row.due_at),
            ended: row.ended_at.map(|at| visit.when(at)),
            changed: Count(row.changed, "member"),
            looked: row.looked_at.map(|at| visit.when(at)),
            brake_percent: sent_or(form, "brake_percent", &row.brake_percent.to_string()),
            paces: paces(&row, form),
            stopped: row.stopped.filter(|_| by_operator.is_none()),
        })
    }
}

fn sent_or(form: &Form, name: &str, kept: &str) -> String {
    if form.is_refused() { form.text(name).to_owned() } else { kept.to_owned() }
}

/// With that of the guild, where a program has set another one.
fn paces(row: &Model, form: &Form) -> Vec<(String, String, bool)> {
    let known = PACES.iter().any(|(_, minutes, _)| *minutes == row.every_minutes);
    let own = row.every_minutes.filter(|_| !known);
    let own = own.map(|minutes| (minutes.to_string(), format!("Every {minutes} minutes")));
    let value = row.every_minutes.map(|minutes| minutes.to_string()).unwrap_or_default();
    let chosen = sent_or(form, "every_minutes", &value);
    let all = PACES.iter().map(|(value, _, words)| ((*value).to_owned(), (*words).to_owned())).chain(own);
    all.map(|(value, words)| (value.clone(), words, value == chosen)).collect()
}
