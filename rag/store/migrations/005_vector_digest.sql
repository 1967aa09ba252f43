-- What binds a vector to its passage and model (rows.vector_digest): an exchanged or damaged one is found without
-- embedding anything. NULL for vectors of older files, of which `galen corpus check` embeds a sample again.

ALTER TABLE chunk_vectors ADD COLUMN digest BLOB;
