internal import RxRecords

/// The elements of `PackedElements` at one moment, in the same memory.
struct PackedSnapshot: Sendable {
    let blocks: [PackedBlock]
    /// The bytes of all elements since there were none, packed.
    let packed: Int
    /// The number of elements.
    let count: Int
    /// The memory of the blocks.
    let cost: Int

    /// All elements, as a head has them.
    var head: [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(packed)
        for index in blocks.indices { withBytes(of: index) { head.append(contentsOf: $0) } }
        return head
    }

    /// The newest elements that have at most so many bytes, packed, as a tail has them, and their number.
    func tail(of limit: Int) -> (packed: [UInt8], count: Int) {
        let newest = newest(of: limit, after: 0)
        var tail: [UInt8] = []
        tail.reserveCapacity(newest.data.count + KeptElements.Codec.mostBesideText)
        if let start = newest.start { KeptElements.Codec.begin(tailAt: start.ordinal, after: start.last, to: &tail) }
        tail.append(contentsOf: newest.data)
        return (tail, newest.count)
    }

    /// The newest elements that have at most so many bytes, packed, to be read after an event.
    ///
    /// - Returns: the number and the time of the first one, their number, and a reader that begins at most a block
    ///   before the event.
    func elements(of limit: Int, after number: UInt64) -> (
        first: KeptElements.Codec.Place?, count: Int, reader: ElementReader
    ) {
        let newest = newest(of: limit, after: number)
        return (newest.first, newest.count, ElementReader(newest.data, at: newest.start ?? .startOfHead))
    }

    /// The newest elements that have at most `limit` bytes.
    private struct Newest {
        /// The number and the time of the first one.
        var first: KeptElements.Codec.Place?
        var count: Int
        /// Where `data` begins, after the blocks that are left out.
        var start: ElementReader.Place?
        var data: [UInt8] = []
    }

    /// - Parameter number: blocks that have no event after this one are left out of the data.
    private func newest(of limit: Int, after number: UInt64) -> Newest {
        var newest = Newest(count: count)
        var size = packed - (blocks.first?.before.packed ?? 0)
        for (index, block) in blocks.enumerated() {
            let isBefore = index + 1 < blocks.count && blocks[index + 1].base.number <= number
            guard size > limit || newest.first == nil || !isBefore else { continue }
            var rest = PackedReader(withBytes(of: index) { Array($0) })
            var (ordinal, base) = (block.ordinal, block.base)
            while size > limit {
                let left = rest.rest.count
                guard KeptElements.Codec.skip(&rest, &base) != nil else { break }
                size -= left - rest.rest.count
                newest.count -= 1
                ordinal += 1
            }
            guard !rest.isAtEnd else { continue }
            if newest.first == nil {
                var (next, place) = (rest, base)
                if KeptElements.Codec.skip(&next, &place) != nil { newest.first = place }
            }
            guard !isBefore else { continue }
            newest.start = newest.start ?? ElementReader.Place(ordinal: ordinal, last: base)
            newest.data.append(contentsOf: rest.rest)
        }
        return newest
    }

    private func withBytes<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let block = blocks[index]
        let end = index + 1 < blocks.count ? blocks[index + 1].before.packed : packed
        return withExtendedLifetime(block.memory) {
            body(UnsafeRawBufferPointer(start: block.memory.start, count: end - block.before.packed))
        }
    }
}
