internal import RxRecords

/// The first and the last bytes that the work of an execution in flight has written to its standard error.
struct RetainedErrors {
    /// The most places in each half at which the number of elements is noted; beyond that, bytes count as written
    /// together, so that single bytes between elements cost no more than others.
    private static let marksKept = 1024

    /// Bytes from `offset` on came after so many elements.
    private struct Mark {
        let offset: Int
        let elements: Int
    }

    private let half: Int
    private var head: [UInt8] = []
    private var isHeadOpen = true
    private var headMarks: [Mark] = []
    private var tail: [UInt8] = []
    private var tailMarks: [Mark] = []
    private var count = 0

    /// The number of bytes that came.
    var total: Int { count }
    /// The approximate memory that it uses.
    var cost: Int { head.count + tail.count + (headMarks.count + tailMarks.count) * MemoryLayout<Mark>.size }

    /// - Parameter limit: the most bytes.
    init(limit: Int) { half = limit / 2 }

    /// - Parameter elements: the number of elements that the execution has by now.
    mutating func append(_ bytes: UnsafeRawBufferPointer, after elements: Int) {
        let first = bytes.prefix(isHeadOpen ? half - head.count : 0)
        if !first.isEmpty {
            Self.note(Mark(offset: count, elements: elements), in: &headMarks)
            head.append(contentsOf: first)
        }
        let rest = bytes.dropFirst(first.count)
        if !rest.isEmpty {
            Self.note(Mark(offset: count + first.count, elements: elements), in: &tailMarks)
            tail.append(contentsOf: rest.suffix(half))
            // Cut only occasionally, not on every call.
            if tail.count > 2 * half { cut() }
        }
        count += bytes.count
        if tailMarks.count > Self.marksKept { forgetMarks() }
    }

    private static func note(_ mark: Mark, in marks: inout [Mark]) {
        guard marks.last?.elements != mark.elements, marks.count <= marksKept else { return }
        marks.append(mark)
    }

    private mutating func cut() { tail.removeFirst(tail.count - half) }

    /// Forgets the marks of bytes that are no longer in the tail, but the newest of them.
    private mutating func forgetMarks() {
        let start = count - min(tail.count, half)
        let gone = tailMarks.lastIndex { $0.offset <= start } ?? 0
        tailMarks.removeFirst(gone)
    }

    /// Drops the tail, and lets the head take nothing more, because too much memory is used.
    mutating func close() {
        isHeadOpen = false
        tail = []
        tailMarks = []
    }

    /// What is kept now.
    var kept: KeptErrors {
        var first = KeptHalf()
        Self.pack(head[...], at: 0, headMarks, to: &first.data)
        guard count > head.count else { return KeptErrors(bytes: count, head: first) }
        var last = KeptHalf()
        let end = tail.suffix(half)
        PackedWriter.append(UInt64(count - end.count), to: &last.data)
        Self.pack(end, at: count - end.count, tailMarks, to: &last.data)
        return KeptErrors(bytes: count, head: first, tail: last)
    }

    private static func pack(_ bytes: ArraySlice<UInt8>, at offset: Int, _ marks: [Mark], to packed: inout [UInt8]) {
        let end = offset + bytes.count
        for (index, mark) in marks.enumerated() {
            let next = index + 1 < marks.count ? min(marks[index + 1].offset, end) : end
            let first = max(mark.offset, offset)
            guard first < next else { continue }
            let piece = bytes[(bytes.startIndex + first - offset)..<(bytes.startIndex + next - offset)]
            KeptErrors.append(piece, after: mark.elements, to: &packed)
        }
    }
}
