internal import RxRecords

/// A state that a reactor has published.
struct PublishedState: Sendable {
    let state: any ReactorState
    let revision: UInt64
    let reactor: Hosted

    init(_ reactor: Hosted, _ revision: UInt64, _ state: any ReactorState) {
        self.state = state
        self.revision = revision
        self.reactor = reactor
    }

    func isAfter(_ other: PublishedState) -> Bool { reactor !== other.reactor || revision > other.revision }
}
