-- When a leave was ended before its time: `ends_at` stays, so that it can go on.
ALTER TABLE loa ADD COLUMN ended_at {time};
