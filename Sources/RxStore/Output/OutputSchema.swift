extension Schema.Step {
    /// The output of executions with a history, as far as it is kept.
    ///
    /// A row is one half of a stream: the head (0), which is always there, or the tail (1), which is there if the head
    /// does not have everything. `data` is packed as `KeptElements` and `KeptErrors` state. In the row of a head,
    /// `count` and `bytes` are those of the whole stream; in that of a tail, `count` is the number of the elements
    /// before it that are missing. The elements of a half, with those that are missing before a tail, have event
    /// numbers from `first` to `last`. Rows leave with the record of their execution, or if its end could not be
    /// written.
    static let output = Schema.Step(
        """
        CREATE TABLE output(
            execution TEXT NOT NULL, stream TEXT NOT NULL, half INTEGER NOT NULL, first INTEGER, last INTEGER,
            count INTEGER NOT NULL, bytes INTEGER NOT NULL, data BLOB NOT NULL,
            PRIMARY KEY(execution, stream, half)) STRICT;
        CREATE INDEX output_by_last ON output(last, first) WHERE last IS NOT NULL;
        CREATE INDEX output_by_first ON output(first) WHERE first IS NOT NULL;
        CREATE TRIGGER execution_with_output_removed AFTER DELETE ON executions BEGIN
            DELETE FROM output WHERE execution = OLD.id;
        END;
        """)
}
