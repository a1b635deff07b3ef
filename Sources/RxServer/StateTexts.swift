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

    /// Whether an event with the state is too long for the loop. The length of a state in Swift is that of its last
    /// text, if one is kept.
    func isLong(_ now: ReactorLevels, of reactor: HostedReactor) -> Bool {
        guard !(now.state is JSONState) else { return Self.isLong(now) }
        let reactor = ObjectIdentifier(reactor)
        let text = entries.withLock { $0.first { $0.reactor == reactor }?.text }
        return text.map { $0.count >= Self.bytesAtOnce } ?? true
    }

    /// The text of a state, written now unless it is kept. Any thread; it takes as long as the state is.
    func text(of now: ReactorLevels, of reactor: HostedReactor) -> [UInt8] {
        let reactor = ObjectIdentifier(reactor)
        if let kept = kept(now, reactor) { return kept }
        // With its memory at once, because growth needs twice as much.
        var writer = JSONWriter(reserving: Self.length(of: now.state))
        now.state.write(to: &writer)
        let entry = Entry(reactor: reactor, revision: now.revision, text: writer.bytes)
        entries.withLock { entries in
            // A connection may still need an earlier one than the others.
            guard !entries.contains(where: { $0.reactor == reactor && $0.revision > now.revision }) else { return }
            entries.removeAll { $0.reactor == reactor }
            entries.append(entry)
            if entries.count > Self.most { entries.removeFirst() }
        }
        return entry.text
    }

    private func kept(_ now: ReactorLevels, _ reactor: ObjectIdentifier) -> [UInt8]? {
        entries.withLock { $0.first { $0.reactor == reactor && $0.revision == now.revision }?.text }
    }

    /// About how long the text of a state will be. Any thread; it takes as long as the state is.
    func length(of now: ReactorLevels, of reactor: HostedReactor) -> Int {
        kept(now, ObjectIdentifier(reactor))?.count ?? Self.length(of: now.state)
    }

    /// How long the text of a state is if it is kept.
    func lengthKept(of now: ReactorLevels, of reactor: HostedReactor) -> Int? {
        kept(now, ObjectIdentifier(reactor))?.count
    }

    /// The length of a state in Swift is known only once it is written.
    private static func length(of state: any ReactorState) -> Int {
        (state as? JSONState)?.value.bytes(upTo: .max) ?? bytesExpected
    }

    private static let bytesExpected = 1 << 20

    /// Forgets all texts; connections that are sending one keep it until they are done.
    ///
    /// - Returns: their bytes.
    func removeAll() -> Int {
        let removed = entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
        return removed.reduce(0) { $0 + $1.text.count }
    }
}
