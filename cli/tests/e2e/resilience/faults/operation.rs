//! Operations whose jobs change something outside, which must happen and be audited exactly once.

use serde_json::json;

use testkit::{Answer, Api, Deployment, JobState};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Gives a role to a member who lacks it: only the count of updates shows a repeat.
    Sync,
    /// Creates a channel: a repeat creates a second one.
    Ticket,
}

impl Operation {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Sync => "sync_member",
            Self::Ticket => "create_ticket",
        }
    }

    /// Creates what the call refers to.
    pub(super) async fn prepare(self, deployment: &Deployment, api: &Api) {
        let api = api.without("idempotency-key");
        if self == Self::Ticket {
            let path = |rest: &str| format!("/guilds/{}/application-{rest}", deployment.guild().id);
            api.post(&path("panels"), json!({ "panel_id": 1, "name": "Staff" })).await.ok();
            let applicant = &deployment.guild().members[0].chat;
            let body = json!({ "panel_id": 1, "chat_id": applicant, "answers": { "why": "because" } });
            api.post(&path("submissions"), body).await.ok();
        }
    }

    pub(super) async fn call(self, deployment: &Deployment, api: &Api) -> Result<Answer, String> {
        let guild = deployment.guild();
        let (path, body) = match self {
            Self::Sync => ("/interactions/sync".to_owned(), json!({ "user_id": guild.lacking().chat })),
            Self::Ticket => {
                let path = format!("/guilds/{}/application-submissions/1/create-ticket", guild.id);
                (path, json!({ "panel_id": 1 }))
            }
        };
        api.try_post(&path, body).await.map_err(|error| error.to_string())
    }

    /// The number of effects on the platform.
    pub(super) async fn effects(self, deployment: &Deployment) -> u64 {
        let stats = deployment.simulator.stats().await;
        let count = match self {
            Self::Sync => &stats["member_updates"],
            Self::Ticket => &stats["channels_created"],
        };
        count.as_u64().unwrap()
    }

    /// The numbers of audit entries of the effect and of the request.
    pub(super) async fn audit_entries(self, deployment: &Deployment) -> (usize, usize) {
        let (done, asked) = match self {
            Self::Sync => ("sync.member", "sync.requested"),
            Self::Ticket => ("ticket.create", "ticket.create_requested"),
        };
        (deployment.audit(done).await.len(), deployment.audit(asked).await.len())
    }

    /// One effect, one audit entry of each kind, and the answer says what was done.
    pub(super) async fn assert_done_once(self, deployment: &Deployment, answer: &Answer) {
        assert_eq!(answer.status, 200, "{answer}");
        let (row, data) = (deployment.job_row(self.kind()).await, &answer.body["data"]);
        assert_eq!((row.state, row.error.clone()), (JobState::Succeeded, None), "{row:?}");
        assert_eq!(row.result.as_ref(), Some(data), "{row:?}");
        assert_eq!(self.effects(deployment).await, 1);
        assert_eq!(self.audit_entries(deployment).await, (1, 1));
        if self == Self::Sync {
            let member = deployment.guild().lacking();
            assert!(deployment.simulator.is_right(deployment.guild(), member).await);
            assert_eq!(data["added_roles"], json!([member.wanted]), "{answer}");
        } else {
            let entry = &deployment.audit("ticket.create").await[0];
            assert_eq!(entry["metadata"]["channel_id"], data["channel_id"], "{answer}");
        }
    }
}
