-- How each guild follows the game platform: passes over its members that start by themselves.
CREATE TABLE follow (
    guild_id bigint PRIMARY KEY REFERENCES guild (guild_id) ON DELETE CASCADE,
    -- Null: as often as the budget allows. 0: never.
    every_minutes integer CHECK (every_minutes >= 0),
    -- A pass that would take roles from a larger part of the members stops.
    brake_percent integer NOT NULL CHECK (brake_percent BETWEEN 1 AND 100),
    due_at {time} NOT NULL,
    -- The job of the pass that is under way.
    job_id {uuid},
    -- Of the last pass that ended.
    ended_at {time},
    -- The last one that succeeded: how many members it changed.
    changed bigint NOT NULL,
    -- Passes in a row that changed nobody.
    quiet integer NOT NULL,
    -- Passes in a row that failed.
    failures integer NOT NULL,
    -- Why the last pass stopped. No other one starts until a person lets it go on.
    stopped text,
    -- A person has seen why: the next pass has no brake.
    unbraked boolean NOT NULL
);

CREATE INDEX follow_due ON follow (due_at);

-- Until when the calls of passes that are planned use up their part of the game platform's budget.
CREATE TABLE follow_budget (
    budget text PRIMARY KEY,
    used_until {time} NOT NULL
);
