extension Schema {
    /// What `StateStore` keeps; its id is "rxd" and a 2.
    ///
    /// - `snapshots`: states, with the fingerprint of the definition that made them.
    /// - `steps`: what led to each revision. With a `cause`, nothing but that: the state was put in the place of the
    ///   one before, and is in the snapshot of the same revision. Otherwise `patch` leads here from the revision before;
    ///   `action` and its `origin` are NULL for a mutation of a merged stream. `start` is the revision of the first
    ///   mutation that `mutate` made of the same action; NULL if it was not made so, and in rows of version 1.
    ///
    /// Times are milliseconds since 1970; `origin`, `action`, `mutation`, `patch` (RFC 6902) and `state` are JSON.
    static let reactors = Schema(
        applicationID: 0x7278_6432,
        steps: [
            """
            CREATE TABLE snapshots(
                reactor TEXT NOT NULL, revision INTEGER NOT NULL, time INTEGER NOT NULL, fingerprint TEXT NOT NULL,
                state TEXT NOT NULL, PRIMARY KEY(reactor, revision)) STRICT;
            CREATE TABLE steps(
                reactor TEXT NOT NULL, revision INTEGER NOT NULL, time INTEGER NOT NULL, cause TEXT, origin TEXT,
                action TEXT, mutation TEXT, patch TEXT, PRIMARY KEY(reactor, revision)) STRICT, WITHOUT ROWID;
            """,
            "ALTER TABLE steps ADD COLUMN start INTEGER;",
        ])
}
