internal import Dispatch
internal import Rx
internal import RxHost
internal import RxStreams

/// The condition of one action: evaluated in turns like that of a stream, and reported to the action.
// Unchecked: `live` is set once, before anything is listened to; the rest is constant or locked.
final class ActionCondition: TurnTaker, @unchecked Sendable {
    private struct Turns {
        /// Whether a turn is under way or is going to be.
        var isBusy = false
        /// Whether another turn has to follow the one under way.
        var isWanted = false
        var isAnswered = false
    }

    let condition: EnabledCondition
    /// Where it stands in the configuration, if that is known.
    let place: String?
    let action: HostedAction
    private let outlet: ConditionOutlet
    private let executor: StreamExecutor
    private let answered = DispatchSemaphore(value: 0)
    private let turns = Locked(Turns())
    private var live: LiveCondition!

    init(_ condition: EnabledCondition, at place: String?, of action: HostedAction, services: StreamServices) {
        self.condition = condition
        self.place = place
        self.action = action
        executor = services.executor
        let first: UnmetCondition =
            if case .reactor(let name, let program) = condition {
                UnmetCondition(reactor: name, when: program.text)
            } else {
                UnmetCondition(text: "it is not evaluated yet")
            }
        outlet = ConditionOutlet(first) { [host = services.host] in host.set(unmet: $0, of: action) }
        live = LiveCondition(condition, services: services) { [weak self] in self?.wake() }
    }

    /// Begins to evaluate it, without effect yet.
    func start() {
        live.start()
        wake()
    }

    /// Has it take effect.
    func open() { outlet.open() }

    /// Ends its effect.
    func close(_ whenClosed: @escaping @Sendable () -> Void) { outlet.close(whenClosed) }

    /// Evaluates it no more.
    func stop() { live.stop() }

    func reconnect(to streams: Set<String>) { live.reconnect(to: streams) }

    /// Waits for the first result.
    func waitForAnswer(atMost limit: Duration) {
        let (seconds, attoseconds) = max(limit, .zero).components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        _ = answered.wait(timeout: .now() + .nanoseconds(nanoseconds))
    }

    private func wake() {
        let isNew = turns.withLock { turns in
            turns.isWanted = turns.isBusy
            defer { turns.isBusy = true }
            return !turns.isBusy
        }
        if isNew { executor.schedule(self) }
    }

    func takeTurn() -> Bool {
        turns.withLock { $0.isWanted = false }
        switch live.evaluate() {
        case .unchanged: break
        case .holds: report(nil)
        case .fails(let reason): report(live.unmet(reason, at: place))
        }
        return turns.withLock { turns in
            turns.isBusy = turns.isWanted
            return turns.isBusy
        }
    }

    private func report(_ result: UnmetCondition?) {
        outlet.take(result)
        let isFirst = turns.withLock { turns in
            defer { turns.isAnswered = true }
            return !turns.isAnswered
        }
        if isFirst { answered.signal() }
    }
}
