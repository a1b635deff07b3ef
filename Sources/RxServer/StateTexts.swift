internal import Rx
internal import RxHost
internal import RxJSON
internal import RxRecords

/// The texts of long states that were requested lately: one for each reactor, shared by all clients that request it.
final class StateTexts: Sendable {
    /// Bytes of the longest state that is written on the loop.
    private static let bytesAtOnce = 4096
    /// Most texts that are kept; each may be as long as a state.
    private static let most = 4

    private struct Entry {
        let reactor: ObjectIdentifier
        let revision: UInt64
        let text: [UInt8]
    }

    private let entries = Locked<[Entry]>([])

    /// Whether writing the state takes too long for the loop, as far as that is known at once.
    static func isLong(_ now: ReactorLevels) -> Bool {
        guard let state = now.state as? JSONState else { return true }
        return state.value.bytes(upTo: bytesAtOnce) >= bytesAtOnce
    }

    /// The text of a state, written now unless it is kept. Any thread; it takes as long as the state is.
    func text(of now: ReactorLevels, of reactor: HostedReactor) -> [UInt8] {
        let reactor = ObjectIdentifier(reactor)
        let kept = entries.withLock { $0.first { $0.reactor == reactor && $0.revision == now.revision }?.text }
        if let kept { return kept }
        var writer = JSONWriter()
        now.state.write(to: &writer)
        let entry = Entry(reactor: reactor, revision: now.revision, text: writer.bytes)
        entries.withLock { entries in
            entries.removeAll { $0.reactor == reactor }
            entries.append(entry)
            if entries.count > Self.most { entries.removeFirst() }
        }
        return entry.text
    }

    /// Forgets all texts; connections that are sending one keep it until they are done.
    func removeAll() {
        entries.withLock { $0 = [] }
    }
}
