internal import RxAction
internal import RxRecords
internal import RxStore

// The part of the log that the store keeps.

extension EventLog {
    /// Continues the log of earlier hosts: puts the events that are kept of it into the rings of their names, and
    /// publishes the levels of all actions: a host that stops disables them, and nobody knows what those of a host were
    /// that was killed. Reactors publish theirs when they begin.
    ///
    /// - Parameters:
    ///   - actions: all actions.
    ///   - others: all reactors, and the actions and reactors of earlier hosts that are not configured.
    ///   - source: finds an action or a reactor by its name.
    ///   - stream: finds the feed of a stream by its name.
    ///   - time: now, in milliseconds since 1970.
    func begin(
        with log: RecoveredLog, _ actions: [HostedAction], _ others: [Hosted], _ source: (String) -> Hosted?,
        _ stream: (String) -> StreamFeed?, at time: Int64
    ) {
        update { state in
            state.begin(with: log)
            for source in actions + others { state.setLogged(source.feed.isLogged, source, at: time) }
            for event in log.switches + log.events { restore(event, of: source(event.name), in: &state) }
            for event in log.streams.events { restore(event, of: stream(event.name), in: &state) }
            guard state.numbers.isContinued else { return }
            for action in actions {
                state.publish(.executing(action.levels.executing), of: action, at: time)
                state.publish(.enabled(action.levels.enabled), of: action, at: time)
            }
        }
    }

    private func restore(_ event: LoggedEvent, of source: Hosted?, in state: inout HostState) {
        guard let source, let change = HostEvent.Change(event.content) else { return }
        if case .enabled(let enabled) = change, let action = source as? HostedAction {
            return action.levels.note(switched: enabled, Mark(cursor: event.number, time: event.time))
        }
        state.restore(
            HostEvent(
                cursor: event.number, time: event.time, source: source, execution: event.execution,
                ordinal: event.ordinal, change: change))
    }

    /// Delivery waits no more for events up to `number`.
    func settle(through number: UInt64) { update { $0.settle(through: number) } }

    /// The store has answered for the events with these numbers.
    func written(_ numbers: ClosedRange<UInt64>, isLost: Bool) {
        update { $0.written(numbers, isLost: isLost) }
    }

    /// The store has refused these events, so that nothing of the output of executions that end with them is kept.
    func forgetOutputs(of events: [LoggedEvent]) {
        let ended = events.compactMap { $0.isEnd ? $0.execution : nil }
        if !ended.isEmpty { update { $0.forgetOutputs(of: ended) } }
    }

    /// Whether no event waits to be written before it is delivered.
    var isSettled: Bool { read { $0.numbers.isSettled } }

    /// The events up to `number` that wait to be written before they are delivered; nil if none does.
    func unsettled(through number: UInt64) -> ClosedRange<UInt64>? { read { $0.numbers.unsettled(through: number) } }

    /// Numbers up to this one may be given to events.
    func reserve(through number: UInt64) { update { $0.reserve(through: number) } }
}
