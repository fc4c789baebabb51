//! `staff_by_role`: makes a user staff who holds a staff role on the chat platform, and ends that for who no longer does
//! (docs/rules.md 6).

use std::time::Duration;

use chrono::SecondsFormat;
use entities::audit_entry::NewEntry;
use entities::cap::Cap;
use entities::staff_member::{self, Model};
use entities::{guild, staff_role};
use jobs::one_waiting::runs_before;
use jobs::staff_by_role::{self, Staff, StaffByRole};
use platforms::{CallContext, Platforms};
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use runtime::Event;
use serde_json::{Value, json};

use crate::errors::{job_error, wait_out};

pub(crate) struct Job(pub(crate) Platforms);

/// While another such job of the user runs.
const AFTER_ANOTHER: Duration = Duration::from_secs(1);

impl Handler for Job {
    type Payload = StaffByRole;

    async fn run(
        &self,
        job: &JobContext,
        StaffByRole { guild, user }: StaffByRole,
    ) -> Result<Outcome, JobError> {
        if runs_before::<StaffByRole>(job.database().read(), guild, user, job.id()).await? {
            let failure = failure(503, "look_running", "another look at the member's roles runs");
            return Err(JobError::Snooze(failure, AFTER_ANOTHER));
        }
        let member = self.0.chat.member(CallContext::bulk(guild), user).await;
        let member = member.map_err(|error| wait_out(job, job_error(error)))?;
        let mut work = job.begin().await?;
        let tx = work.tx();
        let as_before = || Ok(Outcome::done(json!({ "role_id": null, "changed": false })));
        let Some(row) = guild::find_for_update(tx, guild).await? else { return as_before() };
        let Some(staff) = Staff::load(tx, &row).await? else { return as_before() };
        let wanted = member.as_ref().and_then(|member| staff.wanted(member));
        if !staff.differs(user, wanted) {
            return as_before();
        }
        let role = match wanted {
            // Locked, so that nobody deletes the role meanwhile.
            Some(role) => staff_role::find_for_update(tx, guild, role).await?,
            None => None,
        };
        let before = staff_member::find_for_update(tx, guild, user).await?;
        let (action, after) = match role.map(|role| role.role_id) {
            Some(role_id) => {
                if before.is_none()
                    && Cap::StaffMembers.count(tx, guild).await? >= Cap::StaffMembers.row().most
                {
                    let text = format!(
                        "{user} holds a staff role, but the guild has as many staff members as it may"
                    );
                    return Err(JobError::Fail(failure(422, "too_many", text)));
                }
                let joined_at = before.as_ref().map_or(work.now(), |before| before.joined_at);
                let after = Model { guild_id: guild, chat_id: user, role_id, joined_at, by_role: true };
                staff_member::put(tx, after.clone()).await?;
                work.announce([Event::StaffChanged { guild }]);
                ("staff_members.put", Some(after))
            }
            // A role that was deleted meanwhile had no holders.
            None if before.is_none() => return as_before(),
            None => {
                staff_by_role::end(&mut work, guild, user).await?;
                ("staff_members.delete", None)
            }
        };
        let told = [("before", before.as_ref().map(told)), ("after", after.as_ref().map(told))];
        let metadata = told.into_iter().filter_map(|(name, told)| Some((name, told?))).collect();
        work.audit_own([NewEntry { guild, action, target: user.to_string(), metadata }]);
        job.checkpoint(work, &wanted).await?;
        Ok(Outcome::done(json!({ "role_id": wanted, "changed": true })))
    }
}

/// As in the entries of the API.
fn told(member: &Model) -> Value {
    json!({
        "chat_id": member.chat_id,
        "role_id": member.role_id,
        "joined_at": member.joined_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        "by_role": member.by_role,
    })
}
