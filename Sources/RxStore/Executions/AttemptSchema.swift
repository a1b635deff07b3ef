extension Schema.Step {
    /// The attempts of work that is tried again when it fails: the number of the last one, and the most that there may
    /// be. Null for other work, and in `pending` during the first attempt.
    static let attempts = Schema.Step(
        """
        ALTER TABLE executions ADD COLUMN attempt INTEGER; ALTER TABLE executions ADD COLUMN attempts INTEGER;
        ALTER TABLE pending ADD COLUMN attempt INTEGER; ALTER TABLE pending ADD COLUMN attempts INTEGER;
        """)
}
