internal import Glibc

/// Splits bytes at "\n" only. Stores only an incomplete line.
struct LineSplitter {
    /// The longest line in bytes, without its newline.
    let limit: Int
    /// The number of lines so far, including the incomplete one.
    private var count = 0
    private var partial: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    struct TooLong: Error {
        let line: Int
    }

    /// Calls `body` for each line that `bytes` completes, with its number from 1. The line is valid only during the
    /// call. Stops before a line over the limit.
    mutating func push(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, _ number: Int) -> Void
    ) throws(TooLong) {
        var rest = bytes
        while let start = rest.baseAddress, let newline = memchr(start, Int32(UInt8(ascii: "\n")), rest.count) {
            let length = UnsafeRawPointer(newline) - start
            let piece = UnsafeRawBufferPointer(start: start, count: length)
            try begin(adding: length)
            if partial.isEmpty {
                body(piece, count)
            } else {
                partial.append(contentsOf: piece)
                partial.withUnsafeBytes { body($0, count) }
                partial.removeAll(keepingCapacity: true)
            }
            isInLine = false
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        guard !rest.isEmpty else { return }
        try begin(adding: rest.count)
        partial.append(contentsOf: rest)
    }

    /// Calls `body` with the text after the last newline, if there is any.
    mutating func finish(_ body: (UnsafeRawBufferPointer, _ number: Int) -> Void) {
        guard !partial.isEmpty else { return }
        partial.withUnsafeBytes { body($0, count) }
        partial = []
        isInLine = false
    }

    private var isInLine = false

    private mutating func begin(adding length: Int) throws(TooLong) {
        if !isInLine {
            isInLine = true
            count += 1
        }
        guard partial.count + length <= limit else { throw TooLong(line: count) }
    }
}
