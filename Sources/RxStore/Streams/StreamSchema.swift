extension Schema.Step {
    /// The values of streams: of their steps, the positions of their sources, and the last firings of each `on`.
    ///
    /// `value` is JSON. What the values mean is known to whoever stores them.
    static let streams = Schema.Step(
        """
        CREATE TABLE stream_values(
            stream TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(stream, name)) STRICT;
        """)
}
