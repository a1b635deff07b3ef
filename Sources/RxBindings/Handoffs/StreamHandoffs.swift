internal import Rx
internal import RxJSON
internal import RxRecords
internal import RxTime

/// The handoffs of a daemon, by the owners of their rows. They outlive the streams that a reload exchanges.
final class StreamHandoffs: Sendable {
    private let handoffs = Locked<[String: StreamHandoff]>([:])

    /// The handoff of a place in a stream.
    ///
    /// - Parameters:
    ///   - now: the time, from which its numbers go on.
    ///   - stored: what an earlier daemon has stored for an owner.
    func handoff(
        _ stream: String, _ place: String, at now: Instant, _ stored: (String) -> [String: RawJSON]
    ) -> StreamHandoff {
        let owner = "\(stream) reads \(place)"
        if let handoff = handoffs.withLock({ $0[owner] }) { return handoff }
        let handoff = StreamHandoff(owner, of: stream, stored: stored(owner), after: Int(now.microseconds))
        handoffs.withLock { $0[owner] = handoff }
        return handoff
    }

    /// Forgets all handoffs but these.
    ///
    /// - Returns: the rows that are obsolete.
    func forget(allBut owners: Set<String>) -> [StreamRow] {
        let obsolete = handoffs.withLock { handoffs in
            let obsolete = handoffs.filter { !owners.contains($0.key) }
            for owner in obsolete.keys { handoffs[owner] = nil }
            return obsolete.values
        }
        return obsolete.flatMap { $0.forget() }
    }
}
