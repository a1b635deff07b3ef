/// What may become an item of a portion.
struct CatchUpCandidate {
    let item: CatchUpPortion.Item
    /// The place in the source, and the counts seen there after this item; nil if they stay as they are.
    let slot: Int
    let seen: KindCounts?
    /// Whether it reports every counted loss of its place, so that none stays unreported.
    var isOfCounted = false

    var isEvent: Bool {
        switch item {
        case .event, .encoded: true
        case .lost: false
        }
    }
}
