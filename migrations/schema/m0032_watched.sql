-- What alerts tell operators: that no gateway lives, and that a guild's automatic syncs do not succeed.

-- Gateways have a row beside API processes: both run no jobs.
ALTER TABLE api_process ADD COLUMN role text NOT NULL DEFAULT 'api' CHECK (role IN ('api', 'gateway'));

-- From when on the age of a guild's last automatic sync counts: the last one that succeeded or, without one, the time from
-- which one can be expected.
ALTER TABLE follow ADD COLUMN age_from {time};
