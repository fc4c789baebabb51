-- The colour of a guild's pages.
ALTER TABLE guild ADD COLUMN accent text NOT NULL DEFAULT 'indigo'
    CHECK (accent IN ('indigo', 'blue', 'teal', 'green', 'amber', 'orange', 'rose', 'purple', 'slate'));
