//! One file for each endpoint, found by its URL without parameters and its method: `PATCH /bindings/update` is
//! `bindings/update/patch.rs`. Where the URL of a list takes the same method with a
//! user behind it, that one is in `of_chat`. Code shared by several is beside them. The endpoints of mutes are those of bans: their rows
//! in the table of routes name the kind.

pub(crate) mod audit;
pub(crate) mod imports;
pub(crate) mod prelude;
pub(crate) mod whole_list;
pub(crate) mod bindings {
    pub(crate) mod change;
    pub(crate) mod explained;
    pub(crate) mod add {
        pub(crate) mod post;
    }
    pub(crate) mod list {
        pub(crate) mod get;
    }
    pub(crate) mod remove {
        pub(crate) mod delete;
    }
    pub(crate) mod test {
        pub(crate) mod post;
    }
    pub(crate) mod update {
        pub(crate) mod patch;
    }
    pub(crate) mod validate {
        pub(crate) mod post;
    }
}
pub(crate) mod guilds {
    pub(crate) mod linked_member;
    pub(crate) mod follow {
        pub(crate) mod get;
        pub(crate) mod patch;
        pub(crate) mod record;
        pub(crate) mod out_of_step {
            pub(crate) mod get;
        }
        pub(crate) mod resume {
            pub(crate) mod post;
        }
    }
    pub(crate) mod log_channels {
        pub(crate) mod channel;
        pub(crate) mod delete;
        pub(crate) mod get;
        pub(crate) mod put;
        pub(crate) mod record;
    }
    pub(crate) mod webhooks {
        pub(crate) mod delete;
        pub(crate) mod get;
        pub(crate) mod patch;
        pub(crate) mod post;
        pub(crate) mod record;
        pub(crate) mod deliveries {
            pub(crate) mod get;
            pub(crate) mod replay {
                pub(crate) mod post;
            }
        }
        pub(crate) mod rotate {
            pub(crate) mod post;
        }
        pub(crate) mod test {
            pub(crate) mod post;
        }
    }
    pub(crate) mod link_attempts {
        pub(crate) mod bind;
        pub(crate) mod code;
        pub(crate) mod decide;
        pub(crate) mod get;
        pub(crate) mod messages;
        pub(crate) mod own;
        pub(crate) mod post;
        pub(crate) mod record;
        pub(crate) mod approve {
            pub(crate) mod post;
        }
        pub(crate) mod cancel {
            pub(crate) mod post;
        }
        pub(crate) mod confirm {
            pub(crate) mod post;
        }
        pub(crate) mod profile {
            pub(crate) mod post;
        }
        pub(crate) mod reject {
            pub(crate) mod post;
        }
    }
    pub(crate) mod links {
        pub(crate) mod delete;
        pub(crate) mod get;
        pub(crate) mod put;
        pub(crate) mod record;
        pub(crate) mod import {
            pub(crate) mod line;
            pub(crate) mod post;
        }
        pub(crate) mod imports {
            pub(crate) mod undo {
                pub(crate) mod post;
            }
        }
        pub(crate) mod of_chat {
            pub(crate) mod get;
        }
        pub(crate) mod swap {
            pub(crate) mod post;
        }
    }
    pub(crate) mod application_panels {
        pub(crate) mod checks;
        pub(crate) mod delete;
        pub(crate) mod get;
        pub(crate) mod patch;
        pub(crate) mod post;
        pub(crate) mod record;
        pub(crate) mod publish {
            pub(crate) mod post;
        }
    }
    pub(crate) mod application_submissions {
        pub(crate) mod decide;
        pub(crate) mod get;
        pub(crate) mod post;
        pub(crate) mod record;
        pub(crate) mod accept {
            pub(crate) mod post;
        }
        pub(crate) mod comments {
            pub(crate) mod get;
            pub(crate) mod post;
            pub(crate) mod record;
        }
        pub(crate) mod refuse {
            pub(crate) mod post;
        }
        pub(crate) mod create_ticket {
            pub(crate) mod post;
        }
    }
    pub(crate) mod audit_logs {
        pub(crate) mod action;
        pub(crate) mod get;
        pub(crate) mod post;
    }
    pub(crate) mod jobs {
        pub(crate) mod get;
    }
    pub(crate) mod keys {
        pub(crate) mod delete;
        pub(crate) mod get;
        pub(crate) mod post;
        pub(crate) mod record;
        pub(crate) mod rotate {
            pub(crate) mod post;
        }
    }
    pub(crate) mod members {
        pub(crate) mod get;
    }
    pub(crate) mod roles {
        pub(crate) mod get;
    }
    pub(crate) mod servers {
        pub(crate) mod get;
        pub(crate) mod commands {
            pub(crate) mod post;
        }
        pub(crate) mod players {
            pub(crate) mod get;
        }
    }
    pub(crate) mod settings {
        pub(crate) mod get;
        pub(crate) mod patch;
        pub(crate) mod values;
    }
    pub(crate) mod staff;
    pub(crate) mod verified_users {
        pub(crate) mod get;
    }
}
pub(crate) mod interactions {
    pub(crate) mod bot;
    pub(crate) mod roles {
        pub(crate) mod change;
        pub(crate) mod assign {
            pub(crate) mod post;
        }
        pub(crate) mod remove {
            pub(crate) mod post;
        }
    }
    pub(crate) mod sync {
        pub(crate) mod post;
        pub(crate) mod all {
            pub(crate) mod post;
        }
    }
}
pub(crate) mod jobs {
    pub(crate) mod delete;
    pub(crate) mod get;
    pub(crate) mod record;
    pub(crate) mod retry {
        pub(crate) mod post;
    }
    pub(crate) mod undo {
        pub(crate) mod post;
    }
}
pub(crate) mod links {
    pub(crate) mod confirm {
        pub(crate) mod post;
    }
}
pub(crate) mod lookup {
    pub(crate) mod link_record;
    pub(crate) mod chat {
        pub(crate) mod get;
    }
    pub(crate) mod play {
        pub(crate) mod get;
    }
    pub(crate) mod status {
        pub(crate) mod post;
    }
}
pub(crate) mod moderation {
    pub(crate) mod ban_status {
        pub(crate) mod get;
    }
    pub(crate) mod bans {
        pub(crate) mod get;
        pub(crate) mod import {
            pub(crate) mod judged;
            pub(crate) mod line;
            pub(crate) mod post;
        }
        pub(crate) mod imports {
            pub(crate) mod undo {
                pub(crate) mod post;
            }
        }
        pub(crate) mod mirror {
            pub(crate) mod post;
        }
    }
    pub(crate) mod own;
    pub(crate) mod play {
        pub(crate) mod batch;
        pub(crate) mod ban {
            pub(crate) mod post;
        }
        pub(crate) mod bans {
            pub(crate) mod active {
                pub(crate) mod get;
            }
        }
        pub(crate) mod unban {
            pub(crate) mod post;
        }
    }
}
pub(crate) mod play {
    pub(crate) mod games {
        pub(crate) mod register {
            pub(crate) mod post;
        }
    }
    pub(crate) mod players {
        pub(crate) mod entry;
        pub(crate) mod check {
            pub(crate) mod post;
        }
    }
    pub(crate) mod servers {
        pub(crate) mod presence;
        pub(crate) mod tick {
            pub(crate) mod post;
            pub(crate) mod results;
        }
        pub(crate) mod commands {
            pub(crate) mod get;
            pub(crate) mod own_server;
            pub(crate) mod post;
            pub(crate) mod queue;
            pub(crate) mod ack {
                pub(crate) mod post;
            }
        }
        pub(crate) mod heartbeat {
            pub(crate) mod post;
        }
    }
}
pub(crate) mod reverse {
    pub(crate) mod post;
}
pub(crate) mod shield {
    pub(crate) mod batch {
        pub(crate) mod post;
    }
    pub(crate) mod check {
        pub(crate) mod get;
    }
    pub(crate) mod import {
        pub(crate) mod post;
    }
}
pub(crate) mod staff {
    pub(crate) mod period;
    pub(crate) mod staff_check;
    pub(crate) mod action_types {
        pub(crate) mod get;
    }
    pub(crate) mod activity {
        pub(crate) mod get;
    }
    pub(crate) mod leaderboard {
        pub(crate) mod get;
    }
    pub(crate) mod members {
        pub(crate) mod get;
    }
    pub(crate) mod permissions {
        pub(crate) mod get;
    }
    pub(crate) mod play {
        pub(crate) mod session_ref;
        pub(crate) mod staff_status;
        pub(crate) mod action {
            pub(crate) mod post;
        }
        pub(crate) mod heartbeat {
            pub(crate) mod post;
        }
        pub(crate) mod session {
            pub(crate) mod ended_session;
            pub(crate) mod end {
                pub(crate) mod post;
            }
            pub(crate) mod start {
                pub(crate) mod post;
            }
        }
        pub(crate) mod verify {
            pub(crate) mod post;
        }
    }
    pub(crate) mod stats {
        pub(crate) mod get;
    }
}
pub(crate) mod ws {
    pub(crate) mod guilds {
        pub(crate) mod play {
            pub(crate) mod get;
        }
    }
}
