internal import Rx

/// Where the mutations of one action arrive.
final class MutateSink<Action: Sendable, Mutation: Sendable, State: Sendable>: Sink<Mutation>, @unchecked Sendable {
    // Unchecked: see `Stage`; what changes is guarded by the lock of the engine.
    private let engine: ReactorEngine<Action, Mutation, State>
    @exclusivity(unchecked) var ticket: DispatchTicket<State>?
    @exclusivity(unchecked) var isOver = false

    init(_ engine: ReactorEngine<Action, Mutation, State>, _ ticket: DispatchTicket<State>?) {
        self.engine = engine
        self.ticket = ticket
        super.init()
    }

    override func next(_ mutation: Mutation) {
        if isOpen { engine.arrived(mutation: mutation) }
    }

    override func failed(_ error: any Error) { engine.ended(self, error) }
    override func finished() { engine.ended(self, nil) }
    override func closed() { engine.forget(self) }
}
