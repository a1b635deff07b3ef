internal import RxRecords
internal import RxStreams
internal import RxTime

/// When the positions of a stream's sources, the state of its steps, and its firings are stored, and when its sources
/// go on.
// Unchecked: belongs to the stream's turn.
final class StreamCommits: @unchecked Sendable {
    private let context: StreamContext
    private let bindings: [LiveBinding]
    private let firingWrites: FiringWrites
    private let turns: StreamTurns
    private let sources: OpenSources
    private let output: StreamOutput
    private let storage: StreamStorage

    init(
        _ context: StreamContext, _ bindings: [LiveBinding], _ firingWrites: FiringWrites, _ turns: StreamTurns,
        _ sources: OpenSources, _ output: StreamOutput, _ storage: StreamStorage
    ) {
        self.output = output
        self.context = context
        self.bindings = bindings
        self.firingWrites = firingWrites
        self.turns = turns
        self.sources = sources
        self.storage = storage
    }

    /// Stores the positions of the sources with the state of the steps, so that neither is ahead of the other.
    ///
    /// - Parameters:
    ///   - hasEnded: whether the stream has ended itself.
    ///   - fires: whether what waits at an `on` is fired.
    func commit(hasEnded: Bool, fires: Bool) {
        if storage.owes {
            guard isComplete else {
                if fires { for binding in bindings { binding.fireUncommitted() } }
                return passEarly()
            }
            // The next acceptance brings a turn.
            guard !bindings.contains(where: \.awaitsAcceptance) else { return }
            store(hasEnded: hasEnded, bindings.flatMap { $0.commit() })
            if fires { for binding in bindings { binding.retry() } }
        } else {
            passEarly()
            if isSettled { store(hasEnded: hasEnded, []) } else { commitUnfinished(hasEnded: hasEnded) }
        }
    }

    /// Stores everything that belongs together.
    private func store(hasEnded: Bool, _ owed: [StreamRow]) {
        let handoffs = output.handoffs
        storage.commit(
            context, sources.processed, hasEnded: hasEnded,
            owed + (hasEnded ? sources.closeHandoffs() : sources.takeProcessed()) + handoffs.flatMap { $0.commit() })
        storage.store(handoffs.flatMap { $0.pass() })
    }

    /// Passes what has come to streams that read this one, although the positions cannot be stored yet.
    private func passEarly() {
        let handoffs = output.handoffs
        storage.store(handoffs.flatMap { $0.commitEarly() })
        storage.store(handoffs.flatMap { $0.pass() })
    }

    /// Stores the state of the steps, although not everything has taken effect, if no position depends on it.
    func commitUnfinished(hasEnded: Bool) {
        if !storage.keepsPositions { storage.commit(context, [:], hasEnded: hasEnded) }
    }

    /// Stores what has changed of the firings, if that is due.
    func storeFirings(dueAt now: Instant) {
        if firingWrites.takeDue(at: now) { storeFirings() }
    }

    /// Stores what has changed of the firings.
    func storeFirings() { storage.store(bindings.flatMap { $0.takeRows() }) }

    /// Once everything that the sources have emitted has taken effect, they go on.
    func settle() {
        if isSettled { sources.settle(isInFlight: bindings.contains(where: \.hasInFlight)) }
    }

    /// Whether everything that the sources have emitted has left the steps, or is in their state.
    private var isComplete: Bool { turns.hasNoPaced && context.held == 0 }

    /// Whether all firings are accepted, too.
    private var isAccepted: Bool {
        isComplete && !bindings.contains(where: \.isWaiting) && !bindings.contains(where: \.hasUnaccepted)
    }

    /// Whether that holds for the streams that read this one, too.
    private var isSettled: Bool { isAccepted && output.handoffs.allSatisfy(\.isSettled) }
}
