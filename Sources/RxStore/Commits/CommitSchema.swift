extension Schema.Step {
    /// The number of transactions so far, in one row; see `CommitMark`.
    static let commits = Schema.Step(
        "CREATE TABLE commits(number INTEGER NOT NULL) STRICT; INSERT INTO commits VALUES(0);")
}
