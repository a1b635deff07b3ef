internal import RxRecords
internal import Rx

/// Connects an engine to its reactor, until the engine is replaced.
///
/// An engine that merges other streams may reduce their mutations as soon as it is started: these are held until the
/// reactor has published the state of the start.
final class Outlet: ReactorOutlet {
    private enum Output {
        case step(ReactorStep)
        case fault(ReactorFault)
    }

    private enum Phase {
        /// Held, oldest first.
        case holding([Output])
        /// The engine reduces stored mutations: only the last state counts.
        case replaying(newest: (any ReactorState)?)
        case open
        case closed
    }

    private let onStep: @Sendable (ReactorStep) -> Void
    private let onFault: @Sendable (ReactorFault) -> Void
    private let phase = Locked(Phase.holding([]))

    /// - Parameters:
    ///   - onStep: called with each step that is passed on, outside of any lock.
    ///   - onFault: called with each fault that is passed on, likewise.
    init(
        onStep: @escaping @Sendable (ReactorStep) -> Void, onFault: @escaping @Sendable (ReactorFault) -> Void
    ) {
        self.onStep = onStep
        self.onFault = onFault
    }

    /// The reactor has begun: passes on what was held, then what comes.
    func open() {
        while true {
            let held = phase.withLock { phase -> [Output] in
                guard case .holding(let held) = phase else { return [] }
                phase = held.isEmpty ? .open : .holding([])
                return held
            }
            guard !held.isEmpty else { return }
            for output in held { pass(output) }
        }
    }

    func close() { phase.withLock { $0 = .closed } }

    /// From now on, the engine reduces stored mutations.
    func beginReplay() {
        phase.withLock { phase in
            var newest: (any ReactorState)?
            if case .holding(let held) = phase {
                for case .step(let step) in held { newest = step.state }
            }
            phase = .replaying(newest: newest)
        }
    }

    /// The stored mutations are reduced.
    ///
    /// - Returns: the state after the last of them; nil if there was none.
    func endReplay() -> (any ReactorState)? {
        phase.withLock { phase in
            guard case .replaying(let newest) = phase else { return nil }
            phase = .holding([])
            return newest
        }
    }

    func reduced(_ step: ReactorStep) { take(.step(step)) }
    func failed(_ fault: ReactorFault) { take(.fault(fault)) }

    private func take(_ output: Output) {
        let isOpen = phase.withLock { phase -> Bool in
            switch phase {
            case .open: return true
            case .closed: return false
            case .holding(var held):
                phase = .holding([])
                held.append(output)
                phase = .holding(held)
                return false
            case .replaying:
                if case .step(let step) = output { phase = .replaying(newest: step.state) }
                return false
            }
        }
        if isOpen { pass(output) }
    }

    private func pass(_ output: Output) {
        switch output {
        case .step(let step): onStep(step)
        case .fault(let fault): onFault(fault)
        }
    }
}
