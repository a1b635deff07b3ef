internal import Glibc
internal import RxLoop

/// stdout on the loop: whole lines, written at the end of the turn that made them, and never blocking the loop.
///
/// The descriptor stays blocking: it may be the shell's terminal, whose mode would change as well. Instead one write
/// takes only as many bytes as a pipe that is ready is sure to take, so Ctrl-C works however slow the reader is. Each
/// write ends with a line if any line ends in it.
final class Output {
    /// What a ready pipe takes without blocking: one page.
    private static let portion = Int(PIPE_BUF)
    /// Most bytes of several lines that are written to a file between two writes of its cursor file.
    private static let batch = 65_536
    /// Pending bytes above which `onCongestion` asks for a pause.
    private static let mostPending = 262_144

    /// Called with true when too much is pending, and with false when that is over.
    var onCongestion: (Bool) -> Void = { _ in }
    /// Called once, with the errno, when the reader is gone (EPIPE) or writing fails.
    var onFailure: (Int32) -> Void = { _ in }
    /// Called once when the cursor file fails.
    var onCursorFailure: (Ending) -> Void = { _ in }

    /// The cursor file that follows what is written, if there is one.
    var cursorFile: CursorFile?

    private let descriptor: Int32
    private let loop: EventLoop
    private let calls: FileCalls
    private var watch: Watch?
    private var pending = PendingOutput()
    private(set) var isCongested = false
    private var onDrained: (() -> Void)?
    /// What is called once everything before a place is written, by these places.
    private var waiting: [(place: Int, body: () -> Void)] = []
    private var syncPace = SyncPace()
    /// Set from the first line that is not synced until the sync.
    private var syncTimer: Timer?

    init(
        descriptor: Int32 = STDOUT_FILENO, loop: EventLoop, calls: FileCalls = .system
    ) throws(SystemCallError) {
        self.descriptor = descriptor
        self.loop = loop
        self.calls = calls
        // Hang-ups are reported without anything to write, so a reader that goes away is noticed at once.
        watch = try loop.watch(fd: descriptor, .hangUp) { [unowned self] readiness in
            if readiness.contains(.hangUp) {
                fail(errno: EPIPE)
            } else {
                flush()
            }
        }
    }

    /// - Returns: whether the line is new; false if a reader before a power cut has written it.
    @discardableResult
    func printLine(_ bytes: some Sequence<UInt8>) -> Bool {
        if let cursorFile, cursorFile.hasWritten(bytes) { return false }
        pending.append(line: bytes)
        congest()
        return true
    }

    /// Prints bytes that need not end a line.
    func print(_ bytes: some Sequence<UInt8>) {
        pending.append(bytes)
        congest()
    }

    private func congest() {
        loop.flushAtEndOfTurn(self)
        congest(pending.count > Output.mostPending)
    }

    /// Everything printed so far reaches to `cursor`.
    func reach(_ cursor: String) {
        guard cursorFile != nil else { return }
        pending.reach(cursor)
        loop.flushAtEndOfTurn(self)
    }

    /// Whether everything printed so far is written.
    var isIdle: Bool { pending.isEmpty }

    /// Calls `body` when everything is written.
    func drain(then body: @escaping () -> Void) {
        onDrained = body
        flush()
    }

    /// Calls `body` when everything printed so far is written, whatever is printed after it.
    func whenWritten(_ body: @escaping () -> Void) {
        waiting.append((pending.end, body))
        flush()
    }

    /// Drops what is pending, except for the rest of a line that has been begun.
    func dropUnbegun() {
        pending.dropUnbegun()
        for index in waiting.indices { waiting[index].place = min(waiting[index].place, pending.end) }
    }

    /// Writes what can be written now.
    func flush() {
        defer { callWaiting() }
        do {
            // A cursor without a line of its own.
            try cursorFile?.commit(pending.takeCursor())
            while !pending.isEmpty {
                guard isReady else {
                    watch?.interest = .writable
                    return congest(pending.count > Output.mostPending)
                }
                if let cursorFile, cursorFile.isExact {
                    guard try writeBatch(cursorFile) else { return }
                } else {
                    guard try writePortion() else { return }
                }
            }
            try cursorFile?.commit(pending.takeCursor())
            if onDrained != nil { try cursorFile?.sync() }
        } catch {
            stop()
            return onCursorFailure(error)
        }
        pending.reset()
        watch?.interest = .hangUp
        congest(false)
        callWaiting()
        let onDrained = self.onDrained
        self.onDrained = nil
        onDrained?()
    }

    private func callWaiting() {
        // What is called may print, or wait for more.
        while let first = waiting.first, first.place <= pending.writtenEnd { waiting.removeFirst().body() }
    }

    /// - Returns: whether to go on.
    private func writePortion() throws(Ending) -> Bool {
        let count = write(pending.portion(atMost: Output.portion))
        guard count >= 0 else {
            if errno != EINTR && errno != EAGAIN {
                fail(errno: errno)
                return false
            }
            return true
        }
        pending.wrote(count)
        try cursorFile?.commit(pending.takeCursor())
        return true
    }

    /// Writes a few lines, all of them or none. A file takes them at once, unless it has no more room.
    ///
    /// - Returns: whether to go on.
    private func writeBatch(_ file: CursorFile) throws(Ending) -> Bool {
        var left = pending.lines(WriteIntent.mostLines, atMost: Output.batch)
        let cursor = pending.cursor(after: left)
        try pending.withNext(left) { bytes in
            Result { () throws(Ending) in try file.begin(bytes, reaching: cursor) }
        }.get()
        while left > 0 {
            let count = write(left)
            if count > 0 {
                pending.wrote(count)
                left -= count
            } else if count == 0 || errno != EINTR && errno != EAGAIN {
                let number = count == 0 ? ENOSPC : errno
                try file.takeBack()
                fail(errno: number)
                return false
            }
        }
        try file.commit(pending.takeCursor())
        if syncTimer == nil { syncTimer = loop.schedule(after: syncPace.pause) { [weak self] in self?.sync() } }
        return true
    }

    /// Brings the output and its cursor file to the disk.
    func sync() {
        syncTimer?.cancel()
        syncTimer = nil
        let start = ContinuousClock.now
        do {
            // The lines of this turn may be in the output since before a power cut.
            try cursorFile?.commit(pending.takeCursor())
            try cursorFile?.sync()
        } catch {
            stop()
            return onCursorFailure(error)
        }
        syncPace.took(ContinuousClock.now - start)
    }

    private func write(_ count: Int) -> Int {
        pending.withNext(count) { calls.write(descriptor, $0) }
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
        syncTimer?.cancel()
        syncTimer = nil
        pending = PendingOutput()
        onDrained = nil
        waiting = []
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
