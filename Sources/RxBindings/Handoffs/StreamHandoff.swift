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
    /// Puts elements into the reader's inbox, and does no more: it is called with a lock held.
    typealias Reader = @Sendable ([StreamElement]) -> Void

    private struct Item {
        let number: Int
        let element: StreamElement
        let isStored: Bool

        /// As the reader gets it. A reader of several streams knows elements by their positions alone.
        func passed(from owner: String) -> StreamElement {
            var passed = element
            passed.origin = ElementOrigin(
                position: RawJSON([.string(owner), JSONValue(number)]), scheduled: element.origin?.scheduled,
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
        /// The run of the stream that is read, or was last.
        weak var output: StreamOutput?
        /// Ends the connection to the stream that is read.
        var connection: (any Disposable)?
        /// The last number before this connection.
        var lastBefore = 0
        /// Whether all that was passed has taken effect in the reader.
        var isSettled = true
        /// Has the stream that is read go on.
        var wake: (@Sendable () -> Void)?

        /// Whether so much waits that no more is to come.
        var isFull: Bool {
            passed.count >= StreamLimits.pendingElements || bytes >= StreamLimits.pendingBytes
        }

        mutating func note(_ owed: [OwedElement]) {
            ready += owed.compactMap { item in
                guard case .number(let number) = item.receipt else { return nil }
                return Item(number: number, element: item.element, isStored: true)
            }
        }
    }

    /// The name of the stream that reads.
    let reader: String
    /// The owner of its rows.
    let owner: String
    private let state: Locked<State>

    /// - Parameters:
    ///   - owner: the owner of its rows.
    ///   - reader: the name of the stream that reads.
    ///   - stored: these rows, as an earlier daemon has left them.
    ///   - number: larger than all numbers of earlier daemons, by which the reader may still know elements.
    init(_ owner: String, of reader: String, stored: [String: RawJSON], after number: Int) {
        var (owing, owed) = OwedFirings.restore(owner, stored: stored)
        owing.goOn(after: number)
        (self.owner, self.reader) = (owner, reader)
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
        state.withLock { state in
            if !isStored {
                state.ready.append(Item(number: state.owing.nextNumber(), element: element, isStored: false))
            } else if !state.owing.take(element) {
                return
            }
            state.bytes += element.size
        }
    }

    /// Whether so much waits for the reader that the stream that is read has to wait, too.
    var isFull: Bool { state.withLock { $0.isFull } }

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
    ///
    /// - Returns: the rows that are obsolete, because nothing is read any more.
    func pass() -> [StreamRow] {
        let closed = state.withLock { state -> [Item] in
            defer { state.ready = [] }
            guard !state.ready.isEmpty else { return [] }
            guard state.connection != nil else {
                state.bytes -= state.ready.reduce(0) { $0 + $1.element.size }
                return state.ready
            }
            state.isSettled = false
            state.passed += state.ready
            // With the lock, so that nothing that is passed later comes before it.
            state.reader?(state.ready.map { $0.passed(from: owner) })
            return []
        }
        return rows(of: closed)
    }

    /// Whether the stream that is read may go on.
    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Another stream, or another run of it, is read from now on: it emits again what the one before has not stored.
    ///
    /// - Parameters:
    ///   - output: of that run. The same one goes on: it was not read for some time.
    ///   - connection: ends the connection.
    ///   - wake: called whenever all that was passed has taken effect, and when there is room again.
    func connect(_ output: StreamOutput, _ connection: any Disposable, _ wake: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let last = state.owing.lastNumber
            if state.output === output {
                state.owing.dropNew()
            } else {
                state.passed = (state.passed + state.ready).filter(\.isStored)
                let kept = state.owing.rows(state.passed.map(\.owed)).map { ($0.name, $0.value ?? .null) }
                state.owing = OwedFirings.restore(owner, stored: Dictionary(kept) { $1 }).firings
                state.owing.goOn(after: last)
                state.output = output
            }
            state.ready = []
            state.bytes = state.passed.reduce(0) { $0 + $1.element.size }
            state.lastBefore = last
            (state.connection, state.wake) = (connection, wake)
        }
    }

    // MARK: In the turn of the reader

    /// Has the reader receive elements: at first those that are stored.
    func open(_ reader: @escaping Reader) {
        state.withLock { state in
            state.reader = reader
            // Otherwise it may still be that something has not taken effect, which this reader continues.
            guard !state.passed.isEmpty else { return }
            state.isSettled = false
            reader(state.passed.map { $0.passed(from: owner) })
        }
    }

    /// The reader stops; its successor gets what comes meanwhile.
    func detach() { state.withLock { $0.reader = nil } }

    /// Nothing is read any more, and what was not processed is not going to be.
    ///
    /// - Returns: the rows that are obsolete.
    func close() -> [StreamRow] {
        disconnect()
        return remove(\.indices)
    }

    /// Nothing is read for now, because the reader is disabled; what was passed since the stream began goes, too. What
    /// an earlier run has left stays.
    ///
    /// - Returns: the rows that are obsolete.
    func suspend() -> [StreamRow] {
        guard let last = state.withLock({ $0.connection == nil ? nil : $0.lastBefore }) else { return [] }
        disconnect()
        return remove { passed in passed.prefix { $0.number <= last }.endIndex..<passed.endIndex }
    }

    /// It is not configured any more, or starts over.
    ///
    /// - Returns: the rows that are obsolete: all.
    func forget() -> [StreamRow] {
        close()
            + state.withLock { state in
                let keys = state.owing.rows([]).map { StreamRow(stream: $0.stream, name: $0.name, value: nil) }
                let last = state.owing.lastNumber
                state.owing = OwedFirings.restore(owner, stored: [:]).firings
                state.owing.goOn(after: last)
                return keys
            }
    }

    private func disconnect() {
        let (connection, wake) = state.withLock { state in
            defer { (state.reader, state.connection, state.wake) = (nil, nil, nil) }
            state.isSettled = true
            return (state.connection, state.wake)
        }
        connection?.dispose()
        wake?()
    }

    /// The elements up to a position are processed.
    ///
    /// - Returns: the rows for the transaction that stores what has come of them.
    func processed(through position: RawJSON) -> [StreamRow] {
        guard let number = position.value()[1]?.int else { return [] }
        return remove { passed in 0..<passed.prefix { $0.number <= number }.endIndex }
    }

    private func remove(_ range: ([Item]) -> Range<Int>) -> [StreamRow] {
        let (removed, wake) = state.withLock { state in
            let wasFull = state.isFull
            let range = range(state.passed)
            let removed = Array(state.passed[range])
            state.passed.removeSubrange(range)
            state.bytes -= removed.reduce(0) { $0 + $1.element.size }
            return (removed, wasFull && !state.isFull ? state.wake : nil)
        }
        wake?()
        return rows(of: removed)
    }

    private func rows(of items: [Item]) -> [StreamRow] {
        items.filter(\.isStored).flatMap { OwedFirings.rows(of: $0.owed.receipt, owner) }
    }

    /// All that was passed has taken effect, unless more has come meanwhile.
    func settle() {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isSettled, state.passed.isEmpty else { return nil }
            state.isSettled = true
            return state.wake
        }
        wake?()
    }
}
