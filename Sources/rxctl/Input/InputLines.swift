internal import Glibc
internal import RxLoop

/// The lines of stdin, numbered from 1, read only as far as they are needed.
///
/// The descriptor is watched only while more is needed, and stays blocking: it may be the shell's terminal.
final class InputLines {
    enum Next {
        case line(ArraySlice<UInt8>, number: Int)
        /// A line beyond the limit, which was skipped.
        case tooLong(number: Int)
        /// No line is buffered; `readMore` reads on.
        case none
        case end
        case failed(errno: Int32)
    }

    typealias Watcher = (Int32, @escaping () -> Void) throws(SystemCallError) -> Watch

    /// Bytes per read: what a pipe holds.
    private static let portion = 65_536

    private enum Source {
        case open
        case ended
        case failed(errno: Int32)
    }

    /// Called after `readMore` when `next` has a new result.
    var onMore: () -> Void = {}

    private let descriptor: Int32
    /// Longest line in bytes.
    private let limit: Int
    private let startWatch: Watcher
    private var watch: Watch?
    private var source = Source.open
    private var bytes: ArraySlice<UInt8> = []
    /// How far `bytes` was searched for the end of a line.
    private var searched = 0
    private var number = 0
    private var isSkipping = false

    init(descriptor: Int32 = STDIN_FILENO, limit: Int, watch: @escaping Watcher) {
        self.descriptor = descriptor
        self.limit = limit
        startWatch = watch
    }

    /// The next line that is not blank.
    func next() -> Next {
        while true {
            let end = bytes[(bytes.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n"))
            guard let end = end ?? lastEnd else {
                // A line beyond the limit is dropped as it comes.
                isSkipping = isSkipping || bytes.count > limit
                if isSkipping { bytes = [] }
                searched = bytes.count
                switch source {
                case .open: return .none
                case .failed(let errno): return .failed(errno: errno)
                case .ended: return .end
                }
            }
            let line = bytes[..<end]
            bytes = bytes[min(end + 1, bytes.endIndex)...]
            searched = 0
            number += 1
            if isSkipping || line.count > limit {
                isSkipping = false
                return .tooLong(number: number)
            }
            if !line.allSatisfy(InputLines.isBlank) { return .line(line, number: number) }
        }
    }

    /// The end of a last line without a newline.
    private var lastEnd: Int? {
        guard case .ended = source, !bytes.isEmpty || isSkipping else { return nil }
        return bytes.endIndex
    }

    /// Reads once there is something to read, then calls `onMore`.
    func readMore() {
        guard watch == nil, case .open = source else { return }
        do {
            watch = try startWatch(descriptor) { [unowned self] in read() }
        } catch {
            source = .failed(errno: error.errno)
            onMore()
        }
    }

    func stop() {
        watch?.cancel()
        watch = nil
    }

    /// The most bytes that are read to count lines: some tenths of a second.
    static let mostCounted = 256 << 20

    /// How many lines that are not blank a file has from its present offset on; nil for anything but a regular file,
    /// and for one that is too long to count. The offset stays.
    static func count(in descriptor: Int32) -> Int? {
        var status = stat()
        let start = lseek(descriptor, 0, SEEK_CUR)
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, start >= 0,
            status.st_size - start <= mostCounted
        else { return nil }
        var (count, isBlank, offset) = (0, true, start)
        var chunk = [UInt8](repeating: 0, count: portion)
        while true {
            let length = pread(descriptor, &chunk, chunk.count, offset)
            guard length > 0 else { return length == 0 ? count + (isBlank ? 0 : 1) : nil }
            offset += length
            for byte in chunk[..<length] {
                if byte == UInt8(ascii: "\n") {
                    count += isBlank ? 0 : 1
                    isBlank = true
                } else if !InputLines.isBlank(byte) {
                    isBlank = false
                }
            }
        }
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: InputLines.portion)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        if count > 0 {
            bytes = ArraySlice(bytes + chunk.prefix(count))
        } else {
            source = count == 0 ? .ended : .failed(errno: errno)
        }
        // A watched pipe without a writer would wake the loop for ever.
        stop()
        onMore()
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
