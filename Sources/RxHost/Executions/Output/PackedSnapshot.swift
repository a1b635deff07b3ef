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
        var (count, size) = (count, packed - (blocks.first?.before.packed ?? 0))
        var tail: [UInt8] = []
        tail.reserveCapacity(size + KeptElements.Codec.mostBesideText)
        for (index, block) in blocks.enumerated() {
            var rest = PackedReader(withBytes(of: index) { Array($0) })
            var (ordinal, base) = (block.ordinal, block.base)
            while size > limit {
                let left = rest.rest.count
                guard KeptElements.Codec.skip(&rest, &base) != nil else { break }
                (count, size, ordinal) = (count - 1, size - (left - rest.rest.count), ordinal + 1)
            }
            guard !rest.isAtEnd else { continue }
            if tail.isEmpty { KeptElements.Codec.begin(tailAt: ordinal, after: base, to: &tail) }
            tail.append(contentsOf: rest.rest)
        }
        return (tail, count)
    }

    /// The newest elements that have at most so many bytes, packed, to be read after an event.
    ///
    /// - Returns: the number and the time of the first one, their number, and a reader that begins at most a block
    ///   before the event.
    func elements(of limit: Int, after number: UInt64) -> (
        first: KeptElements.Codec.Place?, count: Int, reader: ElementReader
    ) {
        var (count, size) = (count, packed - (blocks.first?.before.packed ?? 0))
        var first: KeptElements.Codec.Place?
        var start: ElementReader.Place?
        var data: [UInt8] = []
        for (index, block) in blocks.enumerated() {
            let isBefore = index + 1 < blocks.count && blocks[index + 1].base.number <= number
            guard size > limit || first == nil || !isBefore else { continue }
            var rest = PackedReader(withBytes(of: index) { Array($0) })
            var (ordinal, base) = (block.ordinal, block.base)
            while size > limit {
                let left = rest.rest.count
                guard KeptElements.Codec.skip(&rest, &base) != nil else { break }
                (count, size, ordinal) = (count - 1, size - (left - rest.rest.count), ordinal + 1)
            }
            guard !rest.isAtEnd else { continue }
            if first == nil {
                var (next, place) = (rest, base)
                if KeptElements.Codec.skip(&next, &place) != nil { first = place }
            }
            guard !isBefore else { continue }
            start = start ?? ElementReader.Place(ordinal: ordinal, last: base)
            data.append(contentsOf: rest.rest)
        }
        return (first, count, ElementReader(data, at: start ?? .startOfHead))
    }

    private func withBytes<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let block = blocks[index]
        let end = index + 1 < blocks.count ? blocks[index + 1].before.packed : packed
        return withExtendedLifetime(block.memory) {
            body(UnsafeRawBufferPointer(start: block.memory.start, count: end - block.before.packed))
        }
    }
}
