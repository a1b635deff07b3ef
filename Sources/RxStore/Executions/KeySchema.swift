extension Schema.Step {
    /// Keys that outlive the records of their executions.
    ///
    /// - `keys.given_up`: the reading of the monotonic clock, in milliseconds, at which the key was given; in terms of
    ///   the boot in `key_settings`.
    /// - `keys.state` and the columns after it: the end of the key's execution; nil while it is in flight.
    /// - `key_settings`: one row. `salt` is that of the input hashes.
    static let keyOutcomes = Schema.Step(
        """
        ALTER TABLE keys ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE keys ADD COLUMN origin TEXT;
        ALTER TABLE keys ADD COLUMN queued_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE keys ADD COLUMN started_at INTEGER;
        ALTER TABLE keys ADD COLUMN state TEXT;
        ALTER TABLE keys ADD COLUMN ended_at INTEGER;
        ALTER TABLE keys ADD COLUMN elements INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE keys ADD COLUMN error TEXT;
        UPDATE keys SET origin = p.origin, queued_at = p.queued_at, started_at = p.started_at
            FROM pending p WHERE p.id = keys.id;
        UPDATE keys SET origin = e.origin, queued_at = e.queued_at, started_at = e.started_at, state = e.state,
            ended_at = e.ended_at, elements = e.elements, error = e.error
            FROM executions e WHERE e.id = keys.id;
        CREATE INDEX keys_by_execution ON keys(id);
        CREATE INDEX keys_by_age ON keys(given_up);
        CREATE TABLE key_settings(salt TEXT NOT NULL, boot TEXT NOT NULL) STRICT;
        """)
}
