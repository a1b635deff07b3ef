internal import Glibc

/// Splits chunks of bytes into lines. A line that lies within one chunk is returned in place; only the rest of a chunk
/// (an incomplete line, or lines not requested yet) is copied.
struct LineFramer: ~Copyable {
    enum Frame {
        /// A line; valid until the next use of the framer.
        case line(UnsafeRawBufferPointer)
        case tooLong
        /// The chunk is consumed.
        case none
    }

    private static let carriageReturn = UInt8(ascii: "\r")

    /// The most bytes of a line, without its end.
    var limit: Int
    private var kept = KeptBytes()
    /// Whether the current line is being skipped because it is too long.
    private var isSkipping = false

    init(limit: Int) { self.limit = limit }

    /// Bytes of the incomplete line, or of lines that were not delivered.
    var keptCount: Int { kept.count }

    /// Whether `next` could find a line without more input.
    var mayHoldLines: Bool { kept.hasUnsearched }

    /// Returns the next frame from the kept bytes and then from `chunk`, which is shortened by the consumed bytes.
    /// Skips blank lines. At `.none` the chunk is empty.
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

    /// Copies the unconsumed rest of a chunk. The memory of a line that was long is freed, since nobody knows when the
    /// next frame is taken.
    mutating func keep(_ rest: UnsafeRawBufferPointer) {
        kept.trim()
        kept.append(rest)
    }

    /// Ends the input and returns its unterminated last line, if any.
    mutating func end() -> UnsafeRawBufferPointer? {
        if isSkipping { return nil }
        guard case .line(let line) = frame(kept.takeAll()) else { return nil }
        return line
    }

    mutating func clear() {
        kept = KeptBytes()
    }

    /// Joins the end of a line with its kept beginning; nil if the line is too long.
    private mutating func joined(_ piece: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if kept.isEmpty { return piece }
        // One extra byte for the "\r" of the line end.
        guard kept.count + piece.count <= limit + 1 else {
            kept = KeptBytes()
            return nil
        }
        kept.append(piece)
        return kept.takeAll()
    }

    /// Returns nil for a blank line or the end of an overlong one.
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
