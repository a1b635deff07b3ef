internal import Rx
internal import RxHost
internal import RxRecords
internal import RxStreams

/// The reactor of an `on`: inputs are dispatched to it.
final class ReactorTarget: Sendable {
    private let name: String
    private let host: Host
    private let turns: StreamTurns
    private let log: FiringLog
    private let load: BindingLoad

    init(_ name: String, host: Host, turns: StreamTurns, log: FiringLog, load: BindingLoad) {
        self.name = name
        self.host = host
        self.turns = turns
        self.log = log
        self.load = load
    }

    /// Takes an input, in the stream's turn.
    ///
    /// - Parameter returned: called in a later turn if the daemon is stopping, and the reactor has not reduced the
    ///   input: the next daemon owes the firing.
    func take(_ item: BindingInput, returned: @escaping @Sendable () -> Void) -> BindingOutcome {
        guard let reactor = host.registry.reactor(name) else {
            log.record(item.item, input: item.input, .refused("notFound", message: "no such reactor: \(name)"))
            return .taken
        }
        guard !reactor.isStopping else { return .postponed }
        load.noteFiring()
        reactor.dispatch(item.input, causes: item.causes) { [turns, log, load] result in
            let isReturned = if case .failure(.stopping) = result { true } else { false }
            if !isReturned { log.forget(item.item.receipt) }
            // In a turn, so that firings are numbered in order.
            turns.perform {
                switch result {
                case .success(let revision): log.record(item.item, input: item.input, .reduced(revision))
                case .failure(.stopping): returned()
                case .failure(let refusal): log.record(item.item, input: item.input, refusal.outcome)
                }
                load.noteAccepted()
            }
        }
        return .taken
    }
}
