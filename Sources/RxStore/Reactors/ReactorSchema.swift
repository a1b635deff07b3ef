extension Schema.Step {
    /// The tables of `StateStore`.
    ///
    /// - `snapshots`: states, with the fingerprint of the definition that made them.
    /// - `steps`: what led to each revision. A step with a `cause` replaced the state; the new state is in the snapshot
    ///   of the same revision. Otherwise `patch` leads here from the revision before; `action` and its `origin` are
    ///   NULL for a mutation of a merged stream.
    ///
    /// Times are milliseconds since 1970; `origin`, `action`, `mutation`, `patch` (RFC 6902), and `state` are JSON.
    static let reactors = Schema.Step(
        """
        CREATE TABLE snapshots(
            reactor TEXT NOT NULL, revision INTEGER NOT NULL, time INTEGER NOT NULL, fingerprint TEXT NOT NULL,
            state TEXT NOT NULL, PRIMARY KEY(reactor, revision)) STRICT;
        CREATE TABLE steps(
            reactor TEXT NOT NULL, revision INTEGER NOT NULL, time INTEGER NOT NULL, cause TEXT, origin TEXT,
            action TEXT, mutation TEXT, patch TEXT, PRIMARY KEY(reactor, revision)) STRICT, WITHOUT ROWID;
        """)

    /// `start` is the revision of the first mutation that `mutate` returned for the same action. NULL for a mutation of
    /// a merged stream, and in rows of version 1.
    static let reactorStepStart = Schema.Step("ALTER TABLE steps ADD COLUMN start INTEGER;")

    /// What `LogExtents` notes when the file is closed: for each reactor the newest revision, the bytes of its rows,
    /// and the number of the transaction that wrote the note.
    static let reactorExtents = Schema.Step(
        """
        CREATE TABLE extents(
            reactor TEXT PRIMARY KEY, newest INTEGER NOT NULL, bytes INTEGER NOT NULL, number INTEGER NOT NULL)
            STRICT, WITHOUT ROWID;
        """)
}
