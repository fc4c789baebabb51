-- Application panels, submissions, and the ticket made from a submission (docs/rules.md 7).

-- Panels and submissions are numbered in each guild, by the guild or else by the service. A panel without staff roles
-- means all of the guild's.
CREATE TABLE application_panel (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    panel_id bigint NOT NULL CHECK (panel_id > 0),
    name text NOT NULL,
    category_id bigint,
    staff_role_ids {json},
    created_at {time} NOT NULL,
    PRIMARY KEY (guild_id, panel_id)
);

CREATE TABLE application_submission (
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    submission_id bigint NOT NULL CHECK (submission_id > 0),
    panel_id bigint NOT NULL,
    chat_id bigint NOT NULL CHECK (chat_id > 0),
    answers {json} NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (guild_id, submission_id),
    FOREIGN KEY (guild_id, panel_id) REFERENCES application_panel (guild_id, panel_id)
);

CREATE INDEX application_submission_by_panel ON application_submission (guild_id, panel_id);

CREATE INDEX application_submission_by_time ON application_submission (created_at);

-- Written before the channel is created and completed afterwards.
CREATE TABLE ticket (
    ticket_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    submission_id bigint NOT NULL,
    panel_id bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('creating', 'open')),
    channel_id bigint,
    job_id {uuid},
    created_at {time} NOT NULL,
    opened_at {time},
    CHECK ((state = 'open') = (channel_id IS NOT NULL)),
    FOREIGN KEY (guild_id, submission_id) REFERENCES application_submission (guild_id, submission_id),
    FOREIGN KEY (guild_id, panel_id) REFERENCES application_panel (guild_id, panel_id)
);

-- One ticket for each submission, ever (docs/rules.md 7).
CREATE UNIQUE INDEX ticket_once ON ticket (guild_id, submission_id);
