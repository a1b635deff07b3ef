extension Schema.Step {
    /// The times at which executions are to start; null for those that start as soon as they may.
    static let dueTimes = Schema.Step(
        "ALTER TABLE executions ADD COLUMN due_at INTEGER; ALTER TABLE pending ADD COLUMN due_at INTEGER;")
}
