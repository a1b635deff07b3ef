/// `observe(on:)` for a dispatch queue: one `async` call for all events that have arrived meanwhile.
///
/// Elements pass through a list of blocks to which only the source appends and from which only the turn removes. The
/// lock covers the end of a turn and sources that violate the grammar; a busy turn does not contend for it.
final class BatchSink<Element: RxSendable>: ObserveOnSink<Element>, @unchecked Sendable {
    // Unchecked: see `ObserveOnSink`; `reader` belongs to the turn, and `lock` guards `last` and `filled`.

    /// The most elements per turn, so that other users of a queue get their turns.
    private static var maximumPerTurn: Int { 1024 }
    /// How often an idle turn checks again before it ends: a fraction of the cost of requesting another turn.
    private static var looks: Int { 64 }

    private let queue: any TurnQueue
    @exclusivity(unchecked) private var reader: BlockReader<Element>
    @exclusivity(unchecked) private var last: ElementBlock<Element>
    @exclusivity(unchecked) private var filled = 0

    init(_ downstream: Stage<Element>, _ queue: any TurnQueue) {
        self.queue = queue
        last = ElementBlock(capacity: ElementBlock<Element>.smallest)
        reader = BlockReader(last)
        super.init(downstream)
    }

    deinit { reader.finish() }

    override func next(_ element: Element) {
        if isDisposed { return }
        lock.lock()
        if end != nil { return lock.unlock() }
        if filled == last.capacity {
            last = last.makeSuccessor()
            filled = 0
        }
        last.append(element, at: filled)
        filled += 1
        unlockAndTakeTurn()
    }

    override func takeTurn() {
        queue.turn { self.deliverSeveral() }
    }

    private func deliverSeveral() {
        // A local variable, so that the turn's data is separate from the source's.
        var reader = reader
        for _ in 0..<BatchSink.maximumPerTurn {
            guard reader.hasElement() || comesSoon(&reader) || hasElementWithLock(&reader) else { return }
            deliver(reader.take())
        }
        self.reader = reader
        queue.turnLater { self.deliverSeveral() }
    }

    private func comesSoon(_ reader: inout BlockReader<Element>) -> Bool {
        for _ in 0..<BatchSink.looks where reader.hasElement() { return true }
        return false
    }

    /// Whether there is an element. If not, ends the turn: delivers the end, or lets the next element request another
    /// turn.
    private func hasElementWithLock(_ reader: inout BlockReader<Element>) -> Bool {
        lock.lock()
        if reader.hasElement() {
            lock.unlock()
            return true
        }
        self.reader = reader
        if !deliverEnd() {
            hasTurn = false
            lock.unlock()
        }
        return false
    }
}

/// The position of the turn in the list of blocks.
private struct BlockReader<Element> {
    private var block: ElementBlock<Element>
    private var taken = 0
    /// The last known number of elements in the block.
    private var known = 0

    init(_ block: ElementBlock<Element>) {
        self.block = block
    }

    @inline(__always)
    mutating func hasElement() -> Bool { taken < known || refill() }

    @inline(__always)
    private mutating func refill() -> Bool {
        known = block.count
        if taken < known { return true }
        return taken == block.capacity && advance()
    }

    /// Separate, because it looks up types; an idle turn calls only `refill`.
    @inline(never)
    private mutating func advance() -> Bool {
        guard let successor = block.successor else { return false }
        block.free()
        self = BlockReader(successor)
        known = block.count
        return known > 0
    }

    /// The next element. Call it only if there is one.
    @inline(__always)
    mutating func take() -> Element {
        taken += 1
        return block.take(at: taken - 1)
    }

    mutating func finish() {
        while hasElement() { _ = take() }
        block.free()
    }
}
