internal import RxJSON
internal import RxRecords

/// The first and the last elements of an execution in flight.
///
/// The head takes whole elements up to half of the bytes; the tail has the newest ones in what the head leaves. So all
/// elements are kept as long as they fit, and an element that is longer than the tail is not kept.
struct RetainedElements {
    /// The most bytes that the elements may have, with a newline after each.
    private let limit: Int
    private var head: [UInt8] = []
    private var headBytes = 0
    private var headCount = 0
    private var isHeadOpen = true
    private var headNumbers: ClosedRange<UInt64>?
    private var tail = RetainedTail()
    private var count = 0
    private var bytes = 0
    /// The number of the last element that was kept, and the latest time: the next one refers to it.
    private var last: (number: UInt64, time: Int64) = (0, 0)
    /// The number of the first element that the head does not have.
    private var tailBegin: UInt64 = 0
    /// The number of the last element that came.
    private var newest: UInt64 = 0

    /// The approximate memory that it uses.
    var cost: Int { head.count + tail.cost }
    /// The number of elements that came.
    var total: Int { count }

    init(limit: Int) { self.limit = limit }

    /// - Parameters:
    ///   - number: the number of the element's event.
    ///   - time: milliseconds since 1970.
    mutating func append(_ text: RawJSON, number: UInt64, time: Int64) {
        count += 1
        let size = text.utf8.count + 1
        bytes += size
        newest = number
        if isHeadOpen, headBytes + size <= limit / 2 {
            headBytes += size
            headCount += 1
            KeptElements.Codec.append(text, number: number, time: time, after: last, to: &head)
            headNumbers = (headNumbers?.lowerBound ?? number)...number
            advance(to: number, time)
            return
        }
        if tailBegin == 0 { tailBegin = number }
        isHeadOpen = false
        tail.makeRoom(for: size, in: limit - headBytes)
        guard size <= limit - headBytes else {
            // It leaves a gap, and what follows refers to what came before the gap.
            return tail.restart()
        }
        tail.append(text, number: number, time: time, ordinal: count, after: last)
        advance(to: number, time)
    }

    /// The next element refers to this one; while the clock is set back, to the latest time that was.
    private mutating func advance(to number: UInt64, _ time: Int64) { last = (number, max(last.time, time)) }

    /// Drops the tail, and lets the head take nothing more, because too much memory is used.
    mutating func close() {
        isHeadOpen = false
        tail = RetainedTail()
    }

    /// What is kept now.
    var kept: KeptElements {
        let head = KeptHalf(head, numbers: headNumbers)
        guard count > headCount else { return KeptElements(count: count, bytes: bytes, head: head) }
        return KeptElements(
            count: count, bytes: bytes, missing: count - headCount - tail.count(upTo: count), head: head,
            tail: KeptHalf(tail.packed, numbers: tailBegin...newest))
    }
}

/// The newest elements, packed as `KeptElements.Codec` states.
private struct RetainedTail {
    /// Unused bytes at the start of `packed` beyond which they are removed: rarely, since the rest moves then.
    private static let spared = 64 << 10

    private var records: [UInt8] = []
    /// Where the oldest record begins.
    private var start = 0
    /// The bytes of the elements with a newline after each.
    private var bytes = 0
    private var firstOrdinal = 0
    /// What the oldest record refers to.
    private var base: (number: UInt64, time: Int64) = (0, 0)

    var cost: Int { records.count }
    private var isEmpty: Bool { start == records.count }

    /// The number of elements, if the last one has this ordinal.
    func count(upTo last: Int) -> Int { isEmpty ? 0 : last - firstOrdinal + 1 }

    var packed: [UInt8] {
        guard !isEmpty else { return [] }
        var packed: [UInt8] = []
        packed.reserveCapacity(records.count - start + 16)
        KeptElements.Codec.begin(tailAt: firstOrdinal, after: base, to: &packed)
        packed.append(contentsOf: records[start...])
        return packed
    }

    mutating func append(
        _ text: RawJSON, number: UInt64, time: Int64, ordinal: Int, after last: (number: UInt64, time: Int64)
    ) {
        if isEmpty {
            firstOrdinal = ordinal
            base = last
        }
        KeptElements.Codec.append(text, number: number, time: time, after: last, to: &records)
        bytes += text.utf8.count + 1
    }

    /// Removes the oldest elements until `size` more bytes fit into `limit`, or none is left.
    mutating func makeRoom(for size: Int, in limit: Int) {
        while bytes + size > limit, !isEmpty { removeFirst() }
        if start > Self.spared {
            records.removeFirst(start)
            start = 0
        }
    }

    private mutating func removeFirst() {
        base.number &+= number()
        base.time &+= Int64(clamping: number())
        let length = Int(number())
        start += length
        bytes -= length + 1
        firstOrdinal += 1
    }

    /// The next packed number.
    private mutating func number() -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = records[start]
            start += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    mutating func restart() {
        records.removeAll(keepingCapacity: true)
        start = 0
        bytes = 0
    }
}
