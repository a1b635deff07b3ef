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
}
