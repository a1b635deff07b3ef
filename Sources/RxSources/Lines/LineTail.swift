internal import Glibc

/// An open file that is read line by line.
final class LineTail {
    /// Longer lines are cut: the bytes behind are counted and dropped.
    static let longestLine = 1 << 20
    /// Bytes of one read.
    private static let chunk = 65_536
    /// Chunks that one call reads at most, 4 MiB: some milliseconds, so that a long line does not hold up others.
    private static let mostChunks = 64

    /// A line without its end.
    struct Line {
        var bytes: ArraySlice<UInt8>
        /// Bytes that were dropped.
        var cut: Int
        /// The position behind the line.
        var position: LinePosition
    }

    /// What reading on has found.
    enum Step {
        case line(Line)
        /// There are no more whole lines at present.
        case end
        /// A long line does not end within the chunks of one call: there is more to read.
        case more
    }

    let file: any OpenFile
    let status: FileStatus
    /// The start of the next line.
    private var lineStart: Int64
    /// Bytes from `lineStart` on.
    private var buffer: [UInt8] = []
    private var head = 0
    /// Bytes behind `head` that have no end of line.
    private var searched = 0
    private var cut = 0
    private var hash: (length: Int, value: UInt64)
    private let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: chunk)

    /// - Parameter offset: where a line begins.
    init(_ file: any OpenFile, from offset: Int64) throws(FileError) {
        self.file = file
        status = try file.status
        lineStart = offset
        hash = (0, LinePosition.emptyHash)
        identify()
    }

    deinit { block.deallocate() }

    /// The offset behind what was read.
    private var readEnd: Int64 { lineStart + Int64(buffer.count - head + cut) }

    /// Whether the file was truncated: it is shorter than what was read of it, or it begins with something else. The
    /// beginning of a line that has no end yet is compared, too, since it may be all that was read.
    func isTruncated() throws(FileError) -> Bool {
        if try file.status.size < readEnd { return true }
        if try LinePosition.hash(of: file, length: hash.length) != hash.value { return true }
        let known = buffer[head...].prefix(LinePosition.mostHashed)
        guard !known.isEmpty else { return false }
        var found = [UInt8](repeating: 0, count: known.count)
        let count = try file.read(at: lineStart, into: &found, 0..<known.count)
        return !found[..<count].elementsEqual(known)
    }

    /// Reads from the beginning.
    func rewind() {
        (lineStart, head, searched, cut) = (0, 0, 0, 0)
        buffer = []
        hash = (0, LinePosition.emptyHash)
    }

    /// Goes to the start of the last line if it has no end, and otherwise to the end of the file. Of a last
    /// line that is longer than the longest, the beginning is passed over.
    func seekToEnd() throws(FileError) {
        rewind()
        let size = try file.status.size
        var begin = size
        var block = [UInt8](repeating: 0, count: Self.chunk)
        lineStart = size
        defer { identify() }
        while begin > 0, size - begin < Int64(Self.longestLine) {
            let end = begin
            begin = max(0, begin - Int64(Self.chunk))
            let want = Int(end - begin)
            let count = try file.read(at: begin, into: &block, 0..<want)
            guard count == want else { return }
            if let newline = block[..<want].lastIndex(of: UInt8(ascii: "\n")) {
                lineStart = begin + Int64(newline) + 1
                return
            }
            if begin == 0 { lineStart = 0 }
        }
    }

    /// The position behind the last line.
    var position: LinePosition {
        LinePosition(status, offset: lineStart, length: hash.length, hash: hash.value)
    }

    /// Goes on by one line.
    func next() throws(FileError) -> Step {
        for _ in 0..<Self.mostChunks {
            if let newline = newline() {
                let bytes = buffer[head..<min(newline, head + Self.longestLine)]
                let cut = cut + (newline - head - bytes.count)
                return .line(take(bytes, cut: cut, through: newline + 1))
            }
            searched = buffer.count - head
            if searched > Self.longestLine {
                cut += searched - Self.longestLine
                buffer.removeLast(searched - Self.longestLine)
                searched = Self.longestLine
            }
            guard try fill() > 0 else { return .end }
        }
        return .more
    }

    /// The bytes behind the last end of line, as a line; nil if there are none. For a file that nobody writes any more.
    func rest() -> Line? {
        guard buffer.count > head else { return nil }
        let bytes = buffer[head..<min(buffer.count, head + Self.longestLine)]
        return take(bytes, cut: cut + (buffer.count - head - bytes.count), through: buffer.count)
    }

    private func newline() -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, head + searched < bytes.count else { return nil }
            let from = head + searched
            guard let found = memchr(base + from, 0x0A, bytes.count - from) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>, cut: Int, through end: Int) -> Line {
        if hash.length < LinePosition.mostHashed, Int64(hash.length) == lineStart {
            // Of what was read, since the file may have been truncated in the meantime.
            let begin = buffer[head..<min(end, head + LinePosition.mostHashed - hash.length)]
            hash = (hash.length + begin.count, LinePosition.hash(hash.value, begin))
        }
        lineStart += Int64(end - head + self.cut)
        (head, searched, self.cut) = (end, 0, 0)
        return Line(bytes: bytes, cut: cut, position: position)
    }

    /// Reads a chunk, and returns the number of its bytes.
    private func fill() throws(FileError) -> Int {
        if head > 0 {
            buffer.removeFirst(head)
            head = 0
        }
        let count = try file.read(at: readEnd, into: UnsafeMutableRawBufferPointer(block))
        buffer.append(contentsOf: block[..<count])
        return count
    }

    /// Remembers what the file begins with, as far as it was read.
    private func identify() {
        let length = Int(min(lineStart, Int64(LinePosition.mostHashed)))
        if length > hash.length, let value = try? LinePosition.hash(of: file, length: length) { hash = (length, value) }
    }
}
