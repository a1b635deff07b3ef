internal import Glibc

/// Cuts lines out of chunks of bytes. A line that lies whole in the chunk is handed out where it lies; only what is left of
/// a chunk (half a line, or lines nobody wants yet) is copied and kept.
struct LineFramer: ~Copyable {
    enum Frame {
        /// Valid until the framer is used again.
        case line(UnsafeRawBufferPointer)
        case tooLong
        /// The chunk is used up.
        case none
    }

    private static let carriageReturn = UInt8(ascii: "\r")

    /// Bytes a line may have, without its end.
    var limit: Int
    private var kept = KeptBytes()
    /// Inside a line that was too long.
    private var isSkipping = false

    init(limit: Int) { self.limit = limit }

    /// Whether `next` could find a line without more input.
    var mayHoldLines: Bool { kept.hasUnsearched }

    /// The next thing in what was kept and then in `chunk`, which is shortened by what has been used. Blank lines are
    /// passed over. At `.none` the chunk is empty.
    mutating func next(_ chunk: inout UnsafeRawBufferPointer) -> Frame {
        kept.trim()
        while true {
            if let length = kept.findNewline() {
                if let frame = frame(kept.takeLine(length)) { return frame }
            } else if let length = chunk.firstNewline {
                let piece = UnsafeRawBufferPointer(rebasing: chunk[..<length])
                chunk = UnsafeRawBufferPointer(rebasing: chunk[(length + 1)...])
                if let frame = frame(joined(piece)) { return frame }
            } else {
                let rest = chunk
                chunk = UnsafeRawBufferPointer(start: nil, count: 0)
                return keepHalf(rest)
            }
        }
    }

    /// Keeps the unused rest of a chunk for later.
    mutating func keep(_ rest: UnsafeRawBufferPointer) {
        kept.append(rest)
    }

    /// The input is over: what is left of it is its last line.
    mutating func end() -> UnsafeRawBufferPointer? {
        if isSkipping { return nil }
        guard case .line(let line) = frame(kept.takeAll()) else { return nil }
        return line
    }

    mutating func clear() {
        kept = KeptBytes()
    }

    /// The end of a line with its beginning, if that was kept; nil when both are too long together.
    private mutating func joined(_ piece: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if kept.isEmpty { return piece }
        // One byte more may be the "\r" of the line's end.
        guard kept.count + piece.count <= limit + 1 else {
            kept = KeptBytes()
            return nil
        }
        kept.append(piece)
        return kept.takeAll()
    }

    /// nil: a blank line, or the end of one that was too long.
    private mutating func frame(_ raw: UnsafeRawBufferPointer?) -> Frame? {
        if isSkipping {
            isSkipping = false
            return nil
        }
        guard let raw else { return .tooLong }
        let hasReturn = raw.last == Self.carriageReturn
        let line = UnsafeRawBufferPointer(start: raw.baseAddress, count: raw.count - (hasReturn ? 1 : 0))
        if line.isEmpty { return nil }
        return line.count > limit ? .tooLong : .line(line)
    }

    private mutating func keepHalf(_ rest: UnsafeRawBufferPointer) -> Frame {
        if isSkipping { return .none }
        let allowed = (rest.last ?? kept.last) == Self.carriageReturn ? limit + 1 : limit
        guard kept.count + rest.count > allowed else {
            kept.append(rest)
            kept.markSearched()
            return .none
        }
        kept = KeptBytes()
        isSkipping = true
        return .tooLong
    }
}
