package import Rx
internal import RxJSON
package import RxStreams

/// Opens the sources of streams.
package protocol SourceOpener: AnyObject, Sendable {
    /// A source for a stream; nil for a kind that this daemon does not have.
    ///
    /// - Parameters:
    ///   - stream: the name of the stream.
    ///   - place: the place in it.
    ///   - isKept: whether positions survive a restart.
    func open(_ source: ExternalSource, of stream: String, place: String, isKept: Bool) -> (any StreamSource)?

    /// Reports whether there is a file or a directory at an absolute path: at first, and at each change.
    ///
    /// - Parameter report: called on any thread; it must not wait.
    func watch(path: String, _ report: @escaping @Sendable (Bool) -> Void) -> any Disposable
}

/// A source of a live stream, and the receiver of what it emits.
///
/// A source that can wait has at most one batch on its way: `settle` has it emit the next one.
final class LiveSource: SourceReceiver, Sendable {
    let port: Int
    let source: any StreamSource
    let description: SourceDescription?
    private let stream: LiveStream
    private let state = Locked(State())

    private struct State {
        /// The reason why the source cannot emit at present.
        var waiting: String?
        var isStopped = false
        /// The position after the last element that was received.
        var received: RawJSON?
        var hasUnsettled = false
        var hasEnded = false
    }

    init(_ stream: LiveStream, port: Int, _ source: any StreamSource, _ description: SourceDescription?) {
        self.stream = stream
        self.port = port
        self.source = source
        self.description = description
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
        let isOpen = state.withLock { state in
            state.waiting = nil
            return !state.isStopped
        }
        guard isOpen else { return }
        stream.receive(
            elements.map { element in
                var origin: ElementOrigin?
                if element.position != nil || element.causes != nil || element.scheduled != nil {
                    origin = ElementOrigin(
                        position: element.position, scheduled: element.scheduled, causes: element.causes)
                }
                return StreamElement(value: element.value, time: element.time, origin: origin)
            }, from: self)
        // After they are in the inbox: a turn that runs meanwhile must not take them for settled.
        state.withLock { state in
            if let position = elements.last?.position { state.received = position }
            state.hasUnsettled = true
        }
        stream.wake()
    }

    func report(waiting reason: String?) {
        let isNew = state.withLock { state in
            defer { state.waiting = reason }
            return state.waiting != reason
        }
        if isNew { stream.note(waiting: reason, of: self) }
    }

    func report(error message: String, element: RawJSON?) {
        stream.report(StreamFailure(message: message, element: element))
    }

    func report(lost count: Int) { stream.lose(count, step: "0") }

    func finish() {
        state.withLock { $0.hasEnded = true }
        stream.end(of: self)
    }

    // MARK: Settling

    /// The position of what was received, if something is not settled yet.
    var unsettled: RawJSON?? { state.withLock { $0.hasUnsettled ? .some($0.received) : .none } }

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

extension LiveSource {
    /// Whether the source goes on only once the executions of the `on` have ended: `after`, and `missed = "all"`.
    var waitsForEnd: Bool {
        guard let description else { return false }
        return description.name == "after" || stream.firesAllMissed
    }
}
