-- The day on which a document's source page was read, for documents that give one: a page without a date of its own
-- can still be told how old its facts may be. NULL for documents of older files until they are ingested again.

ALTER TABLE documents ADD COLUMN date_seen TEXT;
