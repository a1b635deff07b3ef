internal import RxJSON

/// What the output has behind its sync point after a power cut: lines that were written and may come again.
///
/// The last bytes may be missing, or zeros, so it ends with the last whole line.
final class WrittenTail {
    /// The last lines that are searched for a cursor: those without one, such as the end of a stream, are rare.
    private static let mostSearched = 16
    /// Bytes that are read at once.
    private static let chunkBytes = 65_536

    /// The offset in the output behind the last whole line.
    let end: Int
    private let output: OutputFile
    /// The offset behind `read`.
    private var position: Int
    /// What is read and not taken yet.
    private var read: ArraySlice<UInt8> = []
    /// The offsets of the last lines.
    private let starts: [Int]

    /// - Returns: nil if the output cannot be read.
    init?(of output: OutputFile, from start: Int, size: Int) {
        self.output = output
        position = start
        var offset = start
        var isWhole = true
        var starts = [start]
        guard
            output.read(
                start, size - start,
                { chunk in
                    for byte in chunk where isWhole {
                        offset += 1
                        if byte == 0 { isWhole = false }
                        if byte == UInt8(ascii: "\n") { starts.append(offset) }
                    }
                    if starts.count > 4 * WrittenTail.mostSearched {
                        starts.removeFirst(starts.count - WrittenTail.mostSearched - 1)
                    }
                })
        else { return nil }
        end = starts.removeLast()
        self.starts = starts.suffix(WrittenTail.mostSearched)
    }

    /// Whether every line was taken or passed over.
    var isOver: Bool { position >= end && read.isEmpty }

    /// The cursor of the last line, if the lines are records.
    var lastCursor: String? {
        for (start, end) in zip(starts, starts.dropFirst() + [end]).reversed() {
            guard let line = output.bytes(start, end - start), let record = try? RawJSON(validating: line).value()
            else { continue }
            let cursor = (record["cursor"] ?? record["value"]?["cursor"])?.string
            if let cursor, CursorText.isCursor(cursor) { return cursor }
        }
        return nil
    }

    /// Whether a line is among those that are left; the search continues behind it. Lines that do not come again are
    /// passed over: the daemon does not keep every record.
    func takes(_ line: [UInt8]) -> Bool {
        while let next = nextLine() {
            if next.dropLast().elementsEqual(line) { return true }
        }
        return false
    }

    private func nextLine() -> ArraySlice<UInt8>? {
        while true {
            if let newline = read.firstIndex(of: UInt8(ascii: "\n")) {
                defer { read = read[(newline + 1)...] }
                return read[...newline]
            }
            let count = min(WrittenTail.chunkBytes, end - position)
            guard count > 0, let more = output.bytes(position, count) else { return nil }
            position += count
            read = read + more
        }
    }
}
