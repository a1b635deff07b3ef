internal import RxRecords
internal import Rx

/// From an engine to its reactor, until the engine is replaced.
///
/// An engine that merges other streams may tell of them as soon as it is started: that is held until the reactor has begun
/// with the state of the start.
final class Outlet: ReactorOutlet {
    private enum Told {
        case step(ReactorStep)
        case fault(ReactorFault)
    }

    private enum Phase {
        /// What was told, oldest first.
        case holding([Told])
        /// Steps of the past: of these the last state counts.
        case replaying(newest: (any ReactorState)?)
        case open
        case closed
    }

    private unowned let reactor: HostedReactor
    private let phase = Locked(Phase.holding([]))

    init(_ reactor: HostedReactor) { self.reactor = reactor }

    /// The reactor has begun: it is told what was held, then what comes.
    func open() {
        while true {
            let held = phase.withLock { phase -> [Told] in
                guard case .holding(let held) = phase else { return [] }
                phase = held.isEmpty ? .open : .holding([])
                return held
            }
            guard !held.isEmpty else { return }
            for told in held { tell(told) }
        }
    }

    func close() { phase.withLock { $0 = .closed } }

    /// From now on steps are those of the past.
    func beginReplay() {
        phase.withLock { phase in
            var newest: (any ReactorState)?
            if case .holding(let held) = phase {
                for case .step(let step) in held { newest = step.state }
            }
            phase = .replaying(newest: newest)
        }
    }

    /// - Returns: the state that they have led to; nil if there was none.
    func endReplay() -> (any ReactorState)? {
        phase.withLock { phase in
            guard case .replaying(let newest) = phase else { return nil }
            phase = .holding([])
            return newest
        }
    }

    func reduced(_ step: ReactorStep) { take(.step(step)) }
    func failed(_ fault: ReactorFault) { take(.fault(fault)) }

    private func take(_ told: Told) {
        let isOpen = phase.withLock { phase -> Bool in
            switch phase {
            case .open: return true
            case .closed: return false
            case .holding(var held):
                phase = .holding([])
                held.append(told)
                phase = .holding(held)
                return false
            case .replaying:
                if case .step(let step) = told { phase = .replaying(newest: step.state) }
                return false
            }
        }
        if isOpen { tell(told) }
    }

    private func tell(_ told: Told) {
        switch told {
        case .step(let step): reactor.reduced(step)
        case .fault(let fault): reactor.failed(fault)
        }
    }
}
