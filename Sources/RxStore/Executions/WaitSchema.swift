extension Schema.Step {
    /// What a durable input waits for: the turn of its group (null for actions without groups), and the ends of other
    /// executions (null for none).
    static let waits = Schema.Step(
        "ALTER TABLE pending ADD COLUMN overlap_group TEXT; ALTER TABLE pending ADD COLUMN after TEXT;")
}
