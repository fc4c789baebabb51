-- Whoever holds a staff role on the chat platform is staff, where the guild chose that; such members are marked.
ALTER TABLE guild ADD COLUMN staff_by_role boolean NOT NULL DEFAULT false;
ALTER TABLE staff_member ADD COLUMN by_role boolean NOT NULL DEFAULT false;
