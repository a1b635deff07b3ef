/// What happens when more events wait for a slow reader than its subscription keeps.
enum Overflow: String, CaseIterable {
    case dropOldest = "drop-oldest"
    case dropNewest = "drop-newest"
    /// The subscription ends.
    case end
}
