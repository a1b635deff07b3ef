internal import RxRecords

/// A state that a reactor has published.
struct PublishedState: Sendable {
    let state: any ReactorState
    let revision: UInt64
    let reactor: Hosted
    /// What led to the dispatch that the revision comes from; nil if it comes from none, or that is not known.
    let causes: Causes?

    init(_ reactor: Hosted, _ revision: UInt64, _ state: any ReactorState, causes: Causes? = nil) {
        self.causes = causes
        self.state = state
        self.revision = revision
        self.reactor = reactor
    }

    func isAfter(_ other: PublishedState) -> Bool { reactor !== other.reactor || revision > other.revision }
}
