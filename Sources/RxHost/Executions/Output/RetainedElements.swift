internal import RxJSON
internal import RxRecords

/// The first and the last elements of an execution in flight.
///
/// The head takes whole elements up to half of the bytes; the tail has the newest ones in what the head leaves. So all
/// elements are kept as long as they fit, and an element that is longer than the tail is not kept. Bytes are those of
/// the packed elements: what they take on the disk.
struct RetainedElements: ~Copyable {
    /// The most bytes that the elements may have, packed.
    private let limit: Int
    private var head: PackedElements
    private var isHeadOpen = true
    private var headNumbers: ClosedRange<UInt64>?
    private var tail: PackedElements
    /// How many elements came that neither the head nor the tail has had since it was empty, and their bytes.
    private var others = (count: 0, bytes: 0)
    /// The number of the last element that was kept, and the latest time: the next one refers to it.
    private var last: KeptElements.Codec.Place = (0, 0)
    /// The number of the first element that the head does not have.
    private var tailBegin: UInt64 = 0
    /// The number of the last element that was not kept.
    private var lastUnkept: UInt64 = 0

    /// The memory that it uses, approximately. It changes in `append`, and not in `appendToBlock`.
    var cost: Int { head.cost + tail.cost }
    /// The number of elements that came.
    var total: Int { head.count + tail.came.count + others.count }
    /// The bytes of these, with a newline after each.
    private var bytes: Int { head.bytes + tail.came.bytes + others.bytes }

    init(limit: Int) {
        self.limit = limit
        head = PackedElements(limit: limit)
        tail = PackedElements(limit: limit)
    }

    /// - Parameters:
    ///   - number: the number of the element's event.
    ///   - time: milliseconds since 1970.
    mutating func append(_ text: RawJSON, number: UInt64, time: Int64) {
        let ordinal = total + 1
        let size = KeptElements.Codec.size(text.utf8.count, number: number, time: time, after: last)
        if isHeadOpen {
            if head.came.packed + size <= limit / 2 {
                head.append(text, number: number, time: time, ordinal: ordinal, after: last, keeping: limit)
                headNumbers = (headNumbers?.lowerBound ?? number)...number
                return advance(to: number, time)
            }
            isHeadOpen = false
        }
        if tailBegin == 0 { tailBegin = number }
        let room = tailLimit
        guard size <= room else {
            // It leaves a gap, and what follows refers to what came before the gap.
            dropTail()
            others.count += 1
            others.bytes += text.utf8.count + 1
            lastUnkept = number
            return
        }
        tail.append(text, number: number, time: time, ordinal: ordinal, after: last, keeping: room)
        advance(to: number, time)
    }

    /// Appends an element to the newest block of the tail if the block has room for it.
    ///
    /// - Returns: whether it had; if not, nothing has happened.
    @inline(__always)
    mutating func appendToBlock(_ text: RawJSON, number: UInt64, time: Int64) -> Bool {
        guard text.utf8.count < tail.room else { return false }
        tail.appendToBlock(text, number: number, time: time, after: last)
        advance(to: number, time)
        return true
    }

    /// The next element refers to this one; while the clock is set back, to the latest time that was.
    @inline(__always)
    private mutating func advance(to number: UInt64, _ time: Int64) { last = (number, max(last.time, time)) }

    /// Drops the tail, and lets the head take nothing more, because too much memory is used.
    mutating func close() {
        isHeadOpen = false
        dropTail()
    }

    private mutating func dropTail() {
        let came = tail.came
        others = (others.count + came.count, others.bytes + came.bytes)
        tail.removeAll()
    }

    /// What the head leaves to the elements of the tail.
    private var tailLimit: Int { limit - head.came.packed - KeptElements.Codec.mostBesideText }

    /// The numbers of elements.
    struct Extent {
        /// The numbers of the first and the last element.
        let numbers: ClosedRange<UInt64>
        /// The number of the first element that the head does not have; nil if it has all.
        let tail: UInt64?
    }

    /// The numbers of all elements; nil without elements.
    var extent: Extent? {
        let tail = total > head.count ? tailBegin : nil
        guard let first = headNumbers?.lowerBound ?? tail else { return nil }
        return Extent(numbers: first...max(first, last.number, lastUnkept), tail: tail)
    }

    /// What is kept now, not packed yet.
    var snapshot: Snapshot {
        Snapshot(
            total: total, bytes: bytes, head: head.snapshot, headNumbers: headNumbers, tail: tail.snapshot,
            limit: limit, tailLimit: tailLimit,
            tailNumbers: total > head.count ? tailBegin...max(last.number, lastUnkept) : nil)
    }

    /// What is kept at one moment. It shares the memory of the elements.
    struct Snapshot: Sendable {
        /// The number of elements that came.
        let total: Int
        fileprivate let bytes: Int
        fileprivate let head: PackedSnapshot
        fileprivate let headNumbers: ClosedRange<UInt64>?
        fileprivate let tail: PackedSnapshot
        /// The most bytes that all elements may have, packed.
        let limit: Int
        fileprivate let tailLimit: Int
        /// Nil if the head has all elements.
        fileprivate let tailNumbers: ClosedRange<UInt64>?

        /// The approximate memory that it uses.
        var cost: Int { head.cost + tail.cost }

        /// The numbers of all elements; nil without elements.
        var extent: Extent? {
            guard let first = headNumbers?.lowerBound ?? tailNumbers?.lowerBound else { return nil }
            let last = tailNumbers?.upperBound ?? headNumbers?.upperBound ?? first
            return Extent(numbers: first...max(first, last), tail: tailNumbers?.lowerBound)
        }

        /// The elements that are kept after an event, and some before it.
        func halves(after number: UInt64) -> [ElementHalf] {
            var halves: [ElementHalf] = []
            if let headNumbers {
                let head = head.elements(of: .max, after: number)
                halves.append(
                    ElementHalf(isTail: false, numbers: headNumbers, missing: 0, first: nil, elements: head.reader))
            }
            if let tailNumbers {
                let tail = tail.elements(of: tailLimit, after: number)
                halves.append(
                    ElementHalf(
                        isTail: true, numbers: tailNumbers, missing: total - head.count - tail.count,
                        first: tail.first, elements: tail.reader))
            }
            return halves
        }

        /// The elements, packed.
        var kept: KeptElements {
            let head = KeptHalf(head.head, numbers: headNumbers)
            guard let tailNumbers else { return KeptElements(count: total, bytes: bytes, head: head) }
            let tail = tail.tail(of: tailLimit)
            return KeptElements(
                count: total, bytes: bytes, missing: total - self.head.count - tail.count, head: head,
                tail: KeptHalf(tail.packed, numbers: tailNumbers))
        }
    }
}
