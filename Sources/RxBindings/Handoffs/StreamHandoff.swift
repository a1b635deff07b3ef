internal import Rx
internal import RxJSON
internal import RxRecords
internal import RxStreams

/// The elements that a stream passes to another one that reads it, stored until the reader has processed them.
///
/// The stream that is read stores each element under a number, together with the position that it depends on, and
/// passes it on after that. To the reader, the number is a position: it removes the element in the transaction that
/// stores what has come of it. So a kill neither loses nor repeats an element between the two. While a reload exchanges
/// the reader, elements are stored for its successor.
final class StreamHandoff: Sendable {
    /// What the reader does with elements.
    struct Reader: Sendable {
        let receive: @Sendable ([StreamElement]) -> Void
        /// An element without a position was dropped: too many wait.
        let lose: @Sendable () -> Void
    }

    private struct State {
        var owing: OwedFirings
        /// In the rows of the transaction under way; to be passed after it.
        var ready: [OwedElement] = []
        /// Stored and not processed, oldest first.
        var passed: [OwedElement]
        /// The bytes of all elements.
        var bytes: Int
        var reader: Reader?
        /// Ends the connection to the stream that is read.
        var connection: (any Disposable)?
        /// Whether all that was passed has taken effect in the reader.
        var isSettled = true
        /// Has the stream that is read go on.
        var whenSettled: (@Sendable () -> Void)?
    }

    /// The owner of its rows.
    let owner: String
    private let state: Locked<State>

    /// - Parameters:
    ///   - owner: the owner of its rows.
    ///   - stored: these rows, as an earlier daemon has left them.
    init(_ owner: String, stored: [String: RawJSON]) {
        let (owing, passed) = OwedFirings.restore(owner, stored: stored)
        self.owner = owner
        state = Locked(State(owing: owing, passed: passed, bytes: passed.reduce(0) { $0 + $1.element.size }))
    }

    // MARK: In the turn of the stream that is read

    /// An element has come out of the steps.
    ///
    /// - Parameter isRecognized: whether it is known by its position when it comes again after a kill.
    func take(_ element: StreamElement, isRecognized: Bool) {
        let lose = state.withLock { state -> (@Sendable () -> Void)? in
            var element = element
            // Sources with positions wait for the reader; others must not fill the memory.
            if element.origin?.position == nil {
                guard state.passed.count < StreamLimits.pendingElements, state.bytes < StreamLimits.pendingBytes else {
                    return state.reader?.lose
                }
            } else if !isRecognized {
                element.origin?.position = nil
            }
            if state.owing.take(element) { state.bytes += element.size }
            return nil
        }
        lose?()
    }

    /// The positions are going to be stored.
    ///
    /// - Returns: the rows for the same transaction. After it, `pass` passes the elements on.
    func commit() -> [StreamRow] {
        state.withLock { state in
            let (rows, owed) = state.owing.commit([])
            state.ready += owed
            return rows
        }
    }

    /// The positions cannot be stored yet.
    ///
    /// - Returns: the rows of what has come. After they are stored, `pass` passes it on.
    func commitEarly() -> [StreamRow] {
        state.withLock { state in
            let (rows, owed) = state.owing.commitEarly()
            state.ready += owed
            return rows
        }
    }

    /// Passes on what is stored.
    func pass() {
        let (elements, reader) = state.withLock { state in
            defer { state.ready = [] }
            if !state.ready.isEmpty { state.isSettled = false }
            state.passed += state.ready
            return (state.ready.map(\.passed), state.reader)
        }
        if !elements.isEmpty { reader?.receive(elements) }
    }

    /// Whether the stream that is read may go on.
    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Another stream, or another run of it, is read from now on: it emits again what the one before has not stored.
    ///
    /// - Parameters:
    ///   - connection: ends the connection.
    ///   - whenSettled: called whenever all that was passed has taken effect.
    func connect(_ connection: any Disposable, _ whenSettled: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let kept = state.owing.rows(state.passed + state.ready).map { ($0.name, $0.value ?? .null) }
            state.owing = OwedFirings.restore(owner, stored: Dictionary(kept) { $1 }).firings
            state.bytes = (state.passed + state.ready).reduce(0) { $0 + $1.element.size }
            state.connection = connection
            state.whenSettled = whenSettled
        }
    }

    // MARK: In the turn of the reader

    /// Has the reader receive elements: at first those that are stored.
    func open(_ reader: Reader) {
        let elements = state.withLock { state in
            state.reader = reader
            state.isSettled = state.passed.isEmpty
            return state.passed.map(\.passed)
        }
        if !elements.isEmpty { reader.receive(elements) }
    }

    /// The reader stops; its successor gets what comes meanwhile.
    func detach() { state.withLock { $0.reader = nil } }

    /// Nothing is read any more, and what was not processed is not going to be.
    ///
    /// - Returns: the rows that are obsolete.
    func close() -> [StreamRow] {
        let (connection, whenSettled) = state.withLock { state in
            defer { (state.reader, state.connection, state.whenSettled) = (nil, nil, nil) }
            state.isSettled = true
            return (state.connection, state.whenSettled)
        }
        connection?.dispose()
        whenSettled?()
        return drop()
    }

    /// The elements up to a number are processed.
    ///
    /// - Returns: the rows for the transaction that stores what has come of them.
    func processed(through number: Int) -> [StreamRow] {
        remove { if case .number(let own) = $0.receipt { own <= number } else { false } }
    }

    /// What has not been processed is not going to be.
    ///
    /// - Returns: the rows that are obsolete.
    func drop() -> [StreamRow] { remove { _ in true } }

    private func remove(_ isDone: (OwedElement) -> Bool) -> [StreamRow] {
        let done = state.withLock { state in
            let done = state.passed.prefix(while: isDone)
            state.passed.removeFirst(done.count)
            state.bytes -= done.reduce(0) { $0 + $1.element.size }
            return Array(done)
        }
        return done.flatMap { OwedFirings.rows(of: $0.receipt, owner) }
    }

    /// All that was passed has taken effect, unless more has come meanwhile.
    func settle() {
        let whenSettled = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isSettled, state.passed.isEmpty else { return nil }
            state.isSettled = true
            return state.whenSettled
        }
        whenSettled?()
    }
}

extension OwedElement {
    /// The element as the reader gets it: its number is its position.
    fileprivate var passed: StreamElement {
        guard case .number(let number) = receipt else { return element }
        var element = element
        let origin = element.origin
        element.origin = ElementOrigin(
            position: RawJSON(JSONValue(number)), scheduled: origin?.scheduled, causes: origin?.causes)
        return element
    }
}
