-- The span that enqueued the job, as W3C Trace Context writes it: its runs go on with that trace.
ALTER TABLE job ADD COLUMN traceparent text;
