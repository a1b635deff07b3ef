internal import Rx
internal import RxJSON
internal import RxStore
internal import RxStreams

/// A source of a live stream, and the receiver of what it emits.
///
/// A source that can wait has at most one batch on its way: `settle` has it emit the next one.
final class LiveSource: SourceReceiver, Sendable {
    let port: Int
    let source: any StreamSource
    let description: SourceDescription?
    private let level: LevelKind
    /// Whether a later run goes on after the positions of the elements.
    private let keepsPosition: Bool
    /// Whether the elements name their unit; see `StreamElement.levelKey`.
    private let marksUnits: Bool
    /// For a source of file events: the executions that may have caused them.
    private let own: OwnExecutions?
    private let turns: StreamTurns
    private let output: StreamOutput
    /// Stores the position of a first start, in the stream's turn.
    private let keepOrigin: @Sendable (RawJSON) -> Void
    private let state = Locked(State())

    private struct State {
        /// The reason why the source cannot emit at present.
        var waiting: String?
        var isStopped = false
        /// The position after the last element that was received.
        var received: RawJSON?
        var hasUnsettled = false
        /// The keys of the current values that it has emitted: the first of each was current before.
        var known = RecentKeys(limit: StreamLimits.pendingElements)
    }

    init(
        port: Int, _ source: any StreamSource, _ description: SourceDescription?, _ level: LevelKind,
        keepsPosition: Bool, marksUnits: Bool, own: OwnExecutions?, turns: StreamTurns, output: StreamOutput,
        keepOrigin: @escaping @Sendable (RawJSON) -> Void
    ) {
        self.keepOrigin = keepOrigin
        self.keepsPosition = keepsPosition
        self.marksUnits = marksUnits
        self.own = own
        self.level = level
        self.port = port
        self.source = source
        self.description = description
        self.turns = turns
        self.output = output
    }

    var canWait: Bool { description?.canWait ?? false }

    var waiting: String? { state.withLock { $0.waiting } }

    func start(after position: RawJSON?) { source.start(after: position, into: self) }

    func stop() {
        state.withLock { $0.isStopped = true }
        source.stop()
    }

    // MARK: SourceReceiver

    func receive(_ elements: [SourceElement]) {
        guard !elements.isEmpty else { return }
        guard !state.withLock({ $0.isStopped }) else { return }
        let causes = own?.causes(at: elements.map(\.time))
        let position = elements.last?.position
        let elements = elements.enumerated().map { index, element in
            StreamElement(element, causes: causes?[index], hasPosition: keepsPosition)
        }
        guard canWait else { return receive(unpaced: elements) }
        turns.receive(paced: elements, port: port)
        // After they are in the inbox: a turn that runs meanwhile must not take them for settled.
        state.withLock { state in
            if let position { state.received = position }
            state.hasUnsettled = true
        }
        turns.wake()
    }

    private func receive(unpaced elements: [StreamElement]) {
        guard level != .none else {
            let lost = turns.receive(unpaced: elements, port: port)
            if lost > 0 { output.lose(lost, step: "0") }
            return
        }
        for var element in elements {
            let unit = level == .byUnit ? element.value.value()["unit"].map { RawJSON($0) } : nil
            let key = unit?.text ?? ""
            if marksUnits { element.origin = ElementOrigin(position: unit, causes: element.origin?.causes) }
            let isReplay = state.withLock { $0.known.insert(key) }
            output.note(coalesced: turns.receive(level: element, key, port: port, isReplay: isReplay))
        }
    }

    func report(waiting reason: String?) {
        let isNew = state.withLock { state in
            defer { state.waiting = reason }
            return state.waiting != reason
        }
        if isNew { output.note(waiting: reason) }
    }

    func report(error message: String, element: RawJSON?) {
        output.report(StreamFailure(message: message, element: element))
    }

    func report(lost count: Int?) { output.lose(count, step: "0") }

    func report(origin position: RawJSON) {
        guard keepsPosition else { return }
        turns.perform { [keepOrigin] in keepOrigin(position) }
    }

    func finish() { turns.end(port: port) }

    // MARK: Settling

    /// Whether something was received that is not settled yet.
    var isUnsettled: Bool { state.withLock { $0.hasUnsettled } }

    /// Everything that was received has taken effect.
    func settle() {
        let position = state.withLock { state -> RawJSON?? in
            guard state.hasUnsettled, !state.isStopped else { return .none }
            state.hasUnsettled = false
            return .some(state.received)
        }
        if case .some(let position) = position { source.settled(through: position) }
    }
}

extension StreamElement {
    fileprivate init(_ element: SourceElement, causes: RawJSON?, hasPosition: Bool) {
        let origin = ElementOrigin(
            position: hasPosition ? element.position : nil, scheduled: element.scheduled,
            causes: element.causes ?? causes)
        self.init(
            value: element.value, time: element.time, origin: origin == ElementOrigin() ? nil : origin)
    }
}
