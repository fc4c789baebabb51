-- What application panels ask and give, what was decided about a submission, and what staff say about it (docs/rules.md 7).

ALTER TABLE application_panel ADD COLUMN questions {json} NOT NULL DEFAULT '[]';

-- The chat role that an acceptance gives.
ALTER TABLE application_panel ADD COLUMN accept_role_id bigint;

ALTER TABLE application_panel ADD COLUMN is_open boolean NOT NULL DEFAULT true;

-- A removed panel stays for its submissions.
ALTER TABLE application_panel ADD COLUMN removed_at {time};

ALTER TABLE application_submission ADD COLUMN state text NOT NULL DEFAULT 'open'
    CHECK (state IN ('open', 'accepted', 'refused'));

ALTER TABLE application_submission ADD COLUMN decided_at {time};

ALTER TABLE application_submission ADD COLUMN decided_by bigint;

ALTER TABLE application_submission ADD COLUMN decision_reason text;

CREATE INDEX application_submission_open ON application_submission (guild_id, chat_id) WHERE state = 'open';

-- `chat_id` is the applicant: a comment goes with what is said about them.
CREATE TABLE application_comment (
    comment_id {serial},
    guild_id bigint NOT NULL REFERENCES guild (guild_id) ON DELETE CASCADE,
    submission_id bigint NOT NULL,
    chat_id bigint NOT NULL,
    author_id bigint NOT NULL,
    body text NOT NULL,
    created_at {time} NOT NULL,
    FOREIGN KEY (guild_id, submission_id) REFERENCES application_submission (guild_id, submission_id) ON DELETE CASCADE
);

CREATE INDEX application_comment_by_submission ON application_comment (guild_id, submission_id, comment_id);

CREATE INDEX application_comment_by_applicant ON application_comment (chat_id);
