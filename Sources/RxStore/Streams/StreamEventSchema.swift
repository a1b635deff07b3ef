extension Schema.Step {
    /// The events of streams that persist, apart from those of actions and reactors: a stream may emit far more, and
    /// its events must not push theirs out.
    ///
    /// - `stream_log`: one row; `trimmed` is the greatest number of an event that is not kept any more.
    /// - `stream_events`: the numbers are those of the one log. An element has the time of its source, so that times do
    ///   not grow with numbers.
    static let streamEvents = Schema.Step(
        """
        CREATE TABLE stream_log(trimmed INTEGER NOT NULL) STRICT;
        INSERT INTO stream_log VALUES(0);
        CREATE TABLE stream_events(
            number INTEGER PRIMARY KEY, time INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
            value TEXT NOT NULL) STRICT;
        CREATE INDEX stream_events_by_time ON stream_events(time);
        """)
}
