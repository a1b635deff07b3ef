/// `observe(on:)` over a dispatch queue: one `async` for all that has come meanwhile.
///
/// Elements go through a list of blocks that only the source appends to and only the turn takes from. The lock is there
/// for the turn that ends, and for sources that misbehave; a busy turn does not contend for it.
final class BatchSink<Element: Sendable>: ObserveOnSink<Element>, @unchecked Sendable {
    // Unchecked: see `ObserveOnSink`; `reader` belongs to the turn, `last` and `filled` are guarded by `lock`.

    /// So that others who use a queue get their turns of it.
    private static var maximumPerTurn: Int { 1024 }
    /// How often a turn that has run dry looks again before it gives way: a fraction of what asking for another one costs.
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
        // In a variable: what the turn changes for each element lies apart from what the source does.
        var reader = reader
        for _ in 0..<BatchSink.maximumPerTurn {
            guard reader.hasElement() || comesSoon(&reader) || hasElementWithLock(&reader) else { return }
            deliver(reader.take())
        }
        self.reader = reader
        takeTurn()
    }

    private func comesSoon(_ reader: inout BlockReader<Element>) -> Bool {
        for _ in 0..<BatchSink.looks where reader.hasElement() { return true }
        return false
    }

    /// When there is none, the turn is over: the end is delivered, or the next element asks for another turn.
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

/// Where the turn is in the list of blocks.
private struct BlockReader<Element> {
    private var block: ElementBlock<Element>
    private var taken = 0
    /// How many the block was last seen to have.
    private var known = 0

    init(_ block: ElementBlock<Element>) {
        self.block = block
    }

    @inline(__always)
    mutating func hasElement() -> Bool { taken < known || refill() }

    private mutating func refill() -> Bool {
        known = block.count
        if taken < known { return true }
        guard taken == block.capacity, let successor = block.successor else { return false }
        block.free()
        self = BlockReader(successor)
        known = block.count
        return known > 0
    }

    /// When there is one.
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
