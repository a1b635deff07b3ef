extension Schema.Step {
    /// The number of transactions so far, in one row; see `CommitMark`.
    static let commits = Schema.Step(
        "CREATE TABLE commits(number INTEGER NOT NULL) STRICT; INSERT INTO commits VALUES(0);")

    /// Whether a mark is beside the file; see `CommitRow`.
    static let marked = Schema.Step("ALTER TABLE commits ADD COLUMN marked INTEGER NOT NULL DEFAULT 0;")
}
