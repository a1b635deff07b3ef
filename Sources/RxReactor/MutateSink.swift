internal import Rx

/// Receives the mutations of one action.
final class MutateSink<Action: RxSendable, Mutation: RxSendable, State: RxSendable>: Sink<Mutation>, @unchecked Sendable
{
    // Unchecked: see `Stage`; the core's lock guards the mutable state.
    private let core: ReactorCore<Action, Mutation, State>
    @exclusivity(unchecked) var ticket: DispatchTicket?
    /// Outlives the ticket, because mutations may be reduced after the end.
    private let tag: DispatchTag?
    @exclusivity(unchecked) var isOver = false
    /// Whether the core keeps it as running.
    @exclusivity(unchecked) var isKept = false

    required init(_ core: ReactorCore<Action, Mutation, State>, _ ticket: DispatchTicket?) {
        self.core = core
        self.ticket = ticket
        tag = ticket?.tag
        super.init()
    }

    override func next(_ mutation: Mutation) {
        if isOpen { core.arrived(mutation: mutation, tag) }
    }

    override func failed(_ error: any Error) { core.ended(self, error, tag) }
    override func finished() { core.ended(self, nil, tag) }
    override func closed() { core.forget(self) }
}
