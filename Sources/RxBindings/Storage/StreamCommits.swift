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
    private let storage: StreamStorage

    init(
        _ context: StreamContext, _ bindings: [LiveBinding], _ firingWrites: FiringWrites, _ turns: StreamTurns,
        _ sources: OpenSources, _ storage: StreamStorage
    ) {
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
                return
            }
            // The next acceptance brings a turn.
            guard !bindings.contains(where: \.awaitsAcceptance) else { return }
            let owed = bindings.flatMap { $0.commit() }
            storage.commit(context, sources.processed, hasEnded: hasEnded, owed)
            if fires { for binding in bindings { binding.retry() } }
        } else if isSettled {
            storage.commit(context, sources.processed, hasEnded: hasEnded)
        } else {
            commitUnfinished(hasEnded: hasEnded)
        }
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
    private var isSettled: Bool {
        isComplete && !bindings.contains(where: \.isWaiting) && !bindings.contains(where: \.hasUnaccepted)
    }
}
