/// Lines on their way to stdout, and the cursors that they reach to.
struct PendingOutput {
    /// Written bytes that are kept until they are dropped at once, because dropping them moves those behind them.
    static let mostWritten = 65_536
    /// The memory that is kept for later lines. Only a line longer than this, or many of them, take more.
    static let mostSpare = 1 << 20

    /// The cursor that a reader of all bytes before `place` has reached.
    private struct Mark {
        var place: Int
        let cursor: String
    }

    private var bytes: [UInt8] = []
    private var written = 0
    /// The bytes that came before `bytes`.
    private var forgotten = 0
    private var marks: [Mark] = []
    /// Whether the byte written last does not end a line.
    private var isInLine = false

    /// Bytes that are not written yet.
    var count: Int { bytes.count - written }
    /// Bytes for which there is memory.
    var capacity: Int { bytes.capacity }
    var isEmpty: Bool { count == 0 }
    /// Where the next line begins, and how far everything is written, in bytes from the first one.
    var end: Int { forgotten + bytes.count }
    var writtenEnd: Int { forgotten + written }

    mutating func append(_ part: some Sequence<UInt8>) { bytes.append(contentsOf: part) }

    mutating func append(line: some Sequence<UInt8>) {
        bytes.append(contentsOf: line)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Everything appended so far reaches to `cursor`.
    mutating func reach(_ cursor: String) {
        if marks.last?.place == bytes.count { marks.removeLast() }
        marks.append(Mark(place: bytes.count, cursor: cursor))
    }

    /// Drops the lines of which nothing is written.
    mutating func dropUnbegun() {
        var end = written
        if isInLine { end = bytes[written...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count }
        bytes.removeSubrange(end...)
        marks.removeAll { $0.place > end }
    }

    /// The unwritten bytes up to the last end of a line within `limit` bytes; `limit` bytes if no line ends there.
    func portion(atMost limit: Int) -> Int {
        let most = min(bytes.count, written + limit)
        return (bytes[written..<most].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? most) - written
    }

    /// The length of the next whole lines: at least one, however long it is, and no more that end beyond `limit` bytes.
    func lines(_ most: Int, atMost limit: Int) -> Int {
        var end = written
        for _ in 0..<most {
            guard let newline = bytes[end...].firstIndex(of: UInt8(ascii: "\n")),
                end == written || newline < written + limit
            else { break }
            end = newline + 1
        }
        return end - written
    }

    /// The next `count` unwritten bytes.
    func withNext<Value>(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[written..<written + count])) }
    }

    /// Everything is written and committed: forgets it, and keeps as much memory as lines usually need.
    mutating func reset() {
        forgotten += bytes.count
        bytes.removeAll(keepingCapacity: bytes.capacity <= PendingOutput.mostSpare)
        marks.removeAll(keepingCapacity: true)
        written = 0
    }

    /// The next `count` bytes are written.
    mutating func wrote(_ count: Int) {
        guard count > 0 else { return }
        written += count
        isInLine = bytes[written - 1] != UInt8(ascii: "\n")
        dropWritten()
    }

    /// Drops the written bytes once they are at least as many as the others, so that no byte is moved more than once
    /// on average. A reader that never catches up must not make this grow.
    private mutating func dropWritten() {
        guard written >= max(count, PendingOutput.mostWritten) else { return }
        if bytes.capacity > PendingOutput.mostSpare {
            bytes = Array(bytes[written...])
        } else {
            bytes.removeSubrange(..<written)
        }
        for index in marks.indices { marks[index].place -= written }
        forgotten += written
        written = 0
    }

    /// The cursor that the next `count` bytes reach to; nil if they reach to no new one.
    func cursor(after count: Int) -> String? {
        marks.last { $0.place <= written + count }?.cursor
    }

    /// The cursor that the written bytes reach to; nil if it was taken before.
    mutating func takeCursor() -> String? {
        guard let index = marks.lastIndex(where: { $0.place <= written }) else { return nil }
        defer { marks.removeSubrange(...index) }
        return marks[index].cursor
    }
}
