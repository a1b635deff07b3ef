extension Schema.Step {
    /// The events of actions with a history, and of reactors.
    ///
    /// - `log`: one row. `epoch` identifies the log; `reserved` is the greatest number that an event may have, and
    ///   `trimmed` the greatest of an event that is beyond the retention (see also `marks`).
    /// - `events`: an event of an execution has no `value`: the row of its execution has everything. It is removed with
    ///   that row.
    static let log = Schema.Step(
        """
        CREATE TABLE log(epoch TEXT NOT NULL, reserved INTEGER NOT NULL, trimmed INTEGER NOT NULL) STRICT;
        CREATE TABLE events(
            number INTEGER PRIMARY KEY, time INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
            execution TEXT, ordinal INTEGER NOT NULL, value TEXT) STRICT;
        CREATE INDEX events_by_execution ON events(execution, number) WHERE execution IS NOT NULL;
        CREATE INDEX events_without_execution ON events(number) WHERE execution IS NULL;
        CREATE TRIGGER execution_removed AFTER DELETE ON executions BEGIN
            UPDATE log SET trimmed = max(
                trimmed, coalesce((SELECT max(number) FROM events WHERE execution = OLD.id), 0));
            DELETE FROM events WHERE execution = OLD.id;
        END;
        """)

    /// Finds the manual switches of an action, however many other events there are.
    static let switchEvents = Schema.Step(
        "CREATE INDEX events_of_switches ON events(name, number) WHERE kind = 'switched';")
}
