//! `/guilds/:guildId/staff/...`

pub(crate) mod expired;
pub(crate) mod leave_requests {
    pub(crate) mod decide;
    pub(crate) mod get;
    pub(crate) mod patch;
    pub(crate) mod post;
    pub(crate) mod record;
    pub(crate) mod approve {
        pub(crate) mod post;
    }
    pub(crate) mod reject {
        pub(crate) mod post;
    }
    pub(crate) mod withdraw {
        pub(crate) mod post;
    }
}
pub(crate) mod loa {
    pub(crate) mod delete;
    pub(crate) mod get;
    pub(crate) mod patch;
    pub(crate) mod post;
    pub(crate) mod record;
    pub(crate) mod expire {
        pub(crate) mod post;
    }
}
pub(crate) mod members {
    pub(crate) mod delete;
    pub(crate) mod membership;
    pub(crate) mod put;
}
pub(crate) mod notes {
    pub(crate) mod delete;
    pub(crate) mod get;
    pub(crate) mod patch;
    pub(crate) mod post;
    pub(crate) mod record;
}
pub(crate) mod play {
    pub(crate) mod permissions {
        pub(crate) mod get;
    }
}
pub(crate) mod profile {
    pub(crate) mod get;
}
pub(crate) mod quota {
    pub(crate) mod delete;
    pub(crate) mod get;
    pub(crate) mod patch;
    pub(crate) mod post;
    pub(crate) mod record;
    pub(crate) mod role_scope;
    pub(crate) mod progress {
        pub(crate) mod get;
    }
}
pub(crate) mod quota_pending {
    pub(crate) mod decide;
    pub(crate) mod get;
    pub(crate) mod record;
    pub(crate) mod approve {
        pub(crate) mod post;
    }
    pub(crate) mod reject {
        pub(crate) mod post;
    }
}
pub(crate) mod roles {
    pub(crate) mod delete;
    pub(crate) mod get;
    pub(crate) mod permission_names;
    pub(crate) mod put;
    pub(crate) mod staff_role;
}
pub(crate) mod strikes {
    pub(crate) mod delete;
    pub(crate) mod get;
    pub(crate) mod patch;
    pub(crate) mod post;
    pub(crate) mod record;
    pub(crate) mod expire {
        pub(crate) mod post;
    }
    pub(crate) mod update {
        pub(crate) mod patch;
    }
}
