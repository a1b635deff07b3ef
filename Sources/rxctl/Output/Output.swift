internal import Glibc
internal import RxLoop

/// stdout on the loop: whole lines, written at the end of the turn that made them, and never blocking the loop.
///
/// The descriptor is left blocking (it may be the shell's terminal, and the mode would be the shell's too). Instead only
/// as much is written as a pipe that is ready takes for sure, so Ctrl-C works however slow the reader is. What is given to
/// one write ends with a line wherever one ends in it.
final class Output {
    /// What a ready pipe takes without blocking: one page.
    private static let portion = Int(PIPE_BUF)
    /// What a file with a cursor file is given at once, if it has several lines.
    private static let batch = 65_536
    /// Above this, whoever makes the lines is asked to wait.
    private static let mostPending = 262_144

    /// A place in what is pending, and the cursor that a reader of everything before it has reached.
    private struct Mark {
        let place: Int
        let cursor: String
    }

    /// Called with true when too much is pending, with false when that is over.
    var onCongestion: (Bool) -> Void = { _ in }
    /// Called once when the reader is gone or writing fails.
    var onFailure: (Int32) -> Void = { _ in }
    /// Called once when the cursor file fails.
    var onCursorFailure: (Ending) -> Void = { _ in }

    /// Follows what is written, if there is one.
    var cursorFile: CursorFile?

    private let descriptor: Int32
    private let loop: EventLoop
    private let calls: FileCalls
    private var watch: Watch?
    private var pending: [UInt8] = []
    private var written = 0
    private var marks: [Mark] = []
    private var isInLine = false
    private(set) var isCongested = false
    private var onDrained: (() -> Void)?

    init(
        descriptor: Int32 = STDOUT_FILENO, loop: EventLoop, calls: FileCalls = .system
    ) throws(SystemCallError) {
        self.descriptor = descriptor
        self.loop = loop
        self.calls = calls
        // A hang-up is told without anything to write: a reader that goes away is noticed in a quiet hour too.
        watch = try loop.watch(fd: descriptor, .hangUp) { [unowned self] readiness in
            if readiness.contains(.hangUp) {
                fail(errno: EPIPE)
            } else {
                flush()
            }
        }
    }

    func printLine(_ bytes: some Sequence<UInt8>) {
        pending.append(contentsOf: bytes)
        pending.append(UInt8(ascii: "\n"))
        loop.flushAtEndOfTurn(self)
        congest(pending.count - written > Output.mostPending)
    }

    /// What was printed so far reaches to `cursor`.
    func reach(_ cursor: String) {
        guard cursorFile != nil else { return }
        if marks.last?.place == pending.count { marks.removeLast() }
        marks.append(Mark(place: pending.count, cursor: cursor))
        loop.flushAtEndOfTurn(self)
    }

    /// Calls `body` when all is written.
    func drain(then body: @escaping () -> Void) {
        onDrained = body
        flush()
    }

    /// Forgets what is pending, except for the rest of a line that has been begun.
    func dropUnbegun() {
        var end = written
        if isInLine { end = pending[written...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? pending.count }
        pending.removeSubrange(end...)
        marks.removeAll { $0.place > end }
    }

    /// Writes what can be written now.
    func flush() {
        do {
            while written < pending.count {
                guard isReady else {
                    watch?.interest = .writable
                    return congest(pending.count - written > Output.mostPending)
                }
                if let cursorFile, cursorFile.isExact {
                    guard try writeBatch(cursorFile) else { return }
                } else {
                    guard try writePortion() else { return }
                }
            }
            try cursorFile?.commit(takeCursor())
        } catch {
            stop()
            return onCursorFailure(error)
        }
        pending.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
        written = 0
        watch?.interest = .hangUp
        congest(false)
        let onDrained = self.onDrained
        self.onDrained = nil
        onDrained?()
    }

    /// - Returns: whether to go on.
    private func writePortion() throws(Ending) -> Bool {
        let end = portionEnd(Output.portion)
        let count = write(written..<end)
        guard count >= 0 else {
            if errno != EINTR && errno != EAGAIN {
                fail(errno: errno)
                return false
            }
            return true
        }
        written += count
        if count > 0 { isInLine = pending[written - 1] != UInt8(ascii: "\n") }
        try cursorFile?.commit(takeCursor())
        return true
    }

    /// A file takes all of it at once, unless it has no more room.
    ///
    /// - Returns: whether to go on.
    private func writeBatch(_ file: CursorFile) throws(Ending) -> Bool {
        let end = batchEnd
        let cursor = marks.last { $0.place <= end }?.cursor
        let batch = pending[written..<end]
        try batch.withUnsafeBytes { bytes in
            Result { () throws(Ending) in try file.begin(bytes, reaching: cursor) }
        }.get()
        while written < end {
            let count = write(written..<end)
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR && errno != EAGAIN {
                let number = count == 0 ? ENOSPC : errno
                try file.takeBack()
                fail(errno: number)
                return false
            }
        }
        try file.commit(takeCursor())
        return true
    }

    private func write(_ range: Range<Int>) -> Int {
        pending.withUnsafeBytes { calls.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Behind the last line that ends within `limit` bytes; after so many bytes if none does.
    private func portionEnd(_ limit: Int) -> Int {
        let most = min(pending.count, written + limit)
        return pending[written..<most].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? most
    }

    /// Behind a few whole lines, at least one, however long it is.
    private var batchEnd: Int {
        var end = written
        for _ in 0..<WriteIntent.mostLines {
            guard let newline = pending[end...].firstIndex(of: UInt8(ascii: "\n")),
                end == written || newline < written + Output.batch
            else { break }
            end = newline + 1
        }
        return end
    }

    /// The cursor that what is written reaches to, if it is a new one.
    private func takeCursor() -> String? {
        guard let index = marks.lastIndex(where: { $0.place <= written }) else { return nil }
        defer { marks.removeSubrange(...index) }
        return marks[index].cursor
    }

    /// Whether `portion` bytes can be written at once; always so for a file.
    private var isReady: Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0
    }

    private func congest(_ now: Bool) {
        guard now != isCongested else { return }
        isCongested = now
        onCongestion(now)
    }

    private func stop() {
        watch?.cancel()
        watch = nil
        pending = []
        marks = []
        written = 0
        onDrained = nil
    }

    private func fail(errno: Int32) {
        stop()
        onFailure(errno)
    }
}

extension Output: TurnEnd {
    func turnEnded() {
        flush()
    }
}
