internal import Rx
internal import RxJSON
internal import RxRecords
internal import RxStreams

/// The elements that a stream passes to another one that reads it, until the reader has processed them.
///
/// A stream of slots or executions stores each element under a number, together with the position that it depends on,
/// and passes it on after that. To the reader, the number is a position: it removes the element in the transaction that
/// stores what has come of it. So a kill neither loses nor repeats an element between the two. Other streams with
/// positions pass elements on at once, and store the position once the reader is done.
///
/// While a reload exchanges the reader, elements wait here for its successor.
final class StreamHandoff: Sendable {
    /// What the reader does with elements.
    struct Reader: Sendable {
        let receive: @Sendable ([StreamElement]) -> Void
        /// An element without a position was dropped: too many wait.
        let lose: @Sendable () -> Void
    }

    private struct Item {
        let number: Int
        let element: StreamElement
        let isStored: Bool

        /// As the reader gets it.
        var passed: StreamElement {
            var passed = element
            passed.origin = ElementOrigin(
                position: RawJSON(JSONValue(number)), scheduled: element.origin?.scheduled,
                causes: element.origin?.causes)
            return passed
        }

        var owed: OwedElement { OwedElement(element: element, receipt: .number(number)) }
    }

    private struct State {
        var owing: OwedFirings
        /// In the rows of the transaction under way, if they are stored; to be passed after it.
        var ready: [Item] = []
        /// Not processed, oldest first.
        var passed: [Item]
        /// The bytes of all elements.
        var bytes: Int
        var reader: Reader?
        /// Ends the connection to the stream that is read.
        var connection: (any Disposable)?
        /// Whether all that was passed has taken effect in the reader.
        var isSettled = true
        /// Has the stream that is read go on.
        var whenSettled: (@Sendable () -> Void)?

        mutating func note(_ owed: [OwedElement]) {
            ready += owed.compactMap { item in
                guard case .number(let number) = item.receipt else { return nil }
                return Item(number: number, element: item.element, isStored: true)
            }
        }
    }

    /// The owner of its rows.
    let owner: String
    private let state: Locked<State>

    /// - Parameters:
    ///   - owner: the owner of its rows.
    ///   - stored: these rows, as an earlier daemon has left them.
    ///   - number: larger than all numbers of earlier daemons, by which the reader may still know elements.
    init(_ owner: String, stored: [String: RawJSON], after number: Int) {
        var (owing, owed) = OwedFirings.restore(owner, stored: stored)
        owing.goOn(after: number)
        self.owner = owner
        var state = State(owing: owing, passed: [], bytes: owed.reduce(0) { $0 + $1.element.size })
        state.note(owed)
        (state.passed, state.ready) = (state.ready, [])
        self.state = Locked(state)
    }

    // MARK: In the turn of the stream that is read

    /// An element has come out of the steps.
    ///
    /// - Parameter isStored: whether it is stored, and known by its position when it comes again after a kill.
    func take(_ element: StreamElement, isStored: Bool) {
        let lose = state.withLock { state -> (@Sendable () -> Void)? in
            // Sources with positions wait for the reader; others must not fill the memory.
            if element.origin?.position == nil {
                guard state.passed.count < StreamLimits.pendingElements, state.bytes < StreamLimits.pendingBytes else {
                    return state.reader?.lose
                }
            }
            if !isStored {
                state.ready.append(Item(number: state.owing.nextNumber(), element: element, isStored: false))
            } else if !state.owing.take(element) {
                return nil
            }
            state.bytes += element.size
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
            state.note(owed)
            return rows
        }
    }

    /// The positions cannot be stored yet.
    ///
    /// - Returns: the rows of what has come. After they are stored, `pass` passes it on.
    func commitEarly() -> [StreamRow] {
        state.withLock { state in
            let (rows, owed) = state.owing.commitEarly()
            state.note(owed)
            return rows
        }
    }

    /// Passes on what has come, and is stored if it has to be.
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
            state.passed = (state.passed + state.ready).filter(\.isStored)
            state.ready = []
            state.bytes = state.passed.reduce(0) { $0 + $1.element.size }
            let kept = state.owing.rows(state.passed.map(\.owed)).map { ($0.name, $0.value ?? .null) }
            let last = state.owing.lastNumber
            state.owing = OwedFirings.restore(owner, stored: Dictionary(kept) { $1 }).firings
            state.owing.goOn(after: last)
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
        remove { $0.number <= number }
    }

    /// What has not been processed is not going to be.
    ///
    /// - Returns: the rows that are obsolete.
    func drop() -> [StreamRow] { remove { _ in true } }

    private func remove(_ isDone: (Item) -> Bool) -> [StreamRow] {
        let done = state.withLock { state in
            let done = state.passed.prefix(while: isDone)
            state.passed.removeFirst(done.count)
            state.bytes -= done.reduce(0) { $0 + $1.element.size }
            return Array(done)
        }
        return done.filter(\.isStored).flatMap { OwedFirings.rows(of: $0.owed.receipt, owner) }
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
