extension Schema.Step {
    /// The tables of `ExecutionStore`.
    ///
    /// - `executions`: the history. `seq` is the order in which executions ended.
    /// - `pending`: accepted and not yet ended. `seq` is the order of acceptance; `whole` is a durable input until it
    ///   starts. A withdrawn one is in `executions` too until its event is written.
    /// - `keys`: `seq` is the order in which they were given.
    /// - `switches`: actions that are disabled.
    ///
    /// Ids are text, which sorts by time; times are milliseconds since 1970; `origin` and `error` are JSON, and
    /// `origin` has all causes (`Causes.stored`). Columns that may be large come last in their row, so that the others
    /// are read without them.
    static let executions = Schema.Step(
        """
        CREATE TABLE executions(
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, action TEXT NOT NULL, state TEXT NOT NULL,
            origin TEXT NOT NULL, queued_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER NOT NULL,
            elements INTEGER NOT NULL, input TEXT, error TEXT) STRICT;
        CREATE INDEX executions_by_action ON executions(action, id);
        CREATE TABLE pending(
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, action TEXT NOT NULL,
            origin TEXT NOT NULL, queued_at INTEGER NOT NULL, started_at INTEGER, timeout INTEGER,
            input TEXT, whole TEXT) STRICT;
        CREATE TABLE keys(
            seq INTEGER PRIMARY KEY, action TEXT NOT NULL, uid INTEGER NOT NULL, key TEXT NOT NULL,
            input_hash TEXT NOT NULL, id TEXT NOT NULL, given_at INTEGER NOT NULL, UNIQUE(action, uid, key)) STRICT;
        CREATE TABLE switches(
            action TEXT PRIMARY KEY, origin TEXT NOT NULL, since INTEGER NOT NULL, reason TEXT) STRICT;
        """)
}
