-- What one person has sent in a guild, newest first: their own page reads it.
CREATE INDEX application_submission_by_applicant ON application_submission (guild_id, chat_id, submission_id);
