extension Schema.Step {
    /// The earlier epochs of the log, each with the number after which the next one began. A reader with a cursor of
    /// one of them lacks events that were lost, and has to get those that were not.
    static let epochs = Schema.Step("CREATE TABLE epochs(epoch TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;")
}
