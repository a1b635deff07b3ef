internal import Glibc
internal import RxJSON
internal import RxStreams

/// A line source without a thread: turns events of a hub into batches of lines.
final class LineEngine: WatchUser {
    /// Elements of a batch.
    private static let mostLines = 512
    /// Bytes of a batch, at which it ends. One line may exceed them.
    private static let mostBytes = 256 << 10
    /// A rotated file is read on for this long while the new one is empty, because its writer may not know yet.
    private static let patience = Duration.seconds(5)

    private static let directoryEvents: WatchEvents = [
        .created, .movedTo, .movedFrom, .removed, .attributes, .removedItself, .movedItself,
    ]

    private let path: RawPath
    private let hub: WatchHub
    private let output: any FileOutput
    private let rotated: RotatedFiles
    private lazy var wait = DirectoryWait(path.parent, hub: hub, user: self)

    /// Where to begin; nil once a file was opened, or for the beginning of the next one.
    private var start: Start?
    private var current: LineTail?
    /// Whether `current` is a rotated file, which ends.
    private var isRotated = false
    /// Rotated files to read before the file itself.
    private var backlog: [any OpenFile] = []
    /// The last file that was read to its end, while it is not known what follows it.
    private var finished: FileStatus?
    private var fileWatch: Int32?
    private var directoryWatch: Int32?
    /// Of an empty file that follows `current`, so that its first line is noticed.
    private var successorWatch: Int32?
    private var isWaiting = false
    private var mustLook = true
    /// Whether there may be something to read, since an event, a time, or the last batch.
    private var mustRead = true
    private var successorDeadline: Duration?
    private var retryAt: Duration?
    private var directoryReason: String?
    private var fileReason: String?
    private var reported: String?

    private enum Start {
        /// New lines only.
        case end
        case position(LinePosition)
    }

    private var kernel: any FileKernel { hub.kernel }

    init(_ path: String, after position: RawJSON?, hub: WatchHub, output: any FileOutput) {
        self.path = RawPath(path)
        self.hub = hub
        self.output = output
        rotated = RotatedFiles(self.path, kernel: hub.kernel)
        start = LinePosition(position).map(Start.position) ?? .end
    }

    /// The receiver has taken the batch.
    func settled() {
        isWaiting = false
        mustRead = true
    }

    // MARK: Events

    func handle(_ event: WatchEvent) {
        if event.name.isEmpty || event.name.elementsEqual(path.name) { mustRead = true }
        let isGone = !event.events.isDisjoint(with: .gone)
        if event.watch == directoryWatch {
            guard isGone, event.name.isEmpty else { return }
            if event.events.contains(.ignored) { directoryWatch = nil }
            mustLook = true
        } else if event.watch == fileWatch {
            if event.events.contains(.ignored) { fileWatch = nil }
        } else if event.watch == successorWatch {
            if event.events.contains(.ignored) { successorWatch = nil }
        } else if wait.owns(event.watch), isGone || directoryWatch == nil {
            if event.events.contains(.ignored) { wait.forget(event.watch) }
            mustLook = true
        }
    }

    func overflowed() {
        mustLook = true
        mustRead = true
    }

    func turn() -> WatchTurn {
        if let retryAt, retryAt <= kernel.uptime {
            self.retryAt = nil
            mustLook = true
        }
        if mustLook {
            watchDirectory()
            mustRead = true
        }
        if let successorDeadline, successorDeadline <= kernel.uptime { mustRead = true }
        guard !isWaiting else { return .idle }
        if mustRead {
            mustRead = false
            advance()
            report(current == nil ? directoryReason ?? fileReason : fileReason)
        }
        guard !isWaiting else { return .idle }
        var next = WatchTurn.idle
        for time in [successorDeadline, retryAt] { next = next.earlier(time.map(WatchTurn.at) ?? .idle) }
        return next
    }

    private func watchDirectory() {
        mustLook = false
        directoryReason = nil
        switch wait.look() {
        case .present:
            do throws(FileError) {
                directoryWatch = try hub.watch(path.parent, Self.directoryEvents, for: self)
            } catch {
                directoryReason = WatchReason.noWatch(path.parent, error)
                retryLater()
            }
        case .missing(let reason, let mustRetry):
            directoryReason = reason
            if let directoryWatch { hub.unwatch(directoryWatch, for: self) }
            directoryWatch = nil
            if mustRetry { retryLater() }
        }
    }

    private func retryLater() {
        if retryAt == nil { retryAt = kernel.uptime + WatchReason.retry }
    }

    private func report(_ reason: String?) {
        guard reason != reported else { return }
        reported = reason
        output.report(waiting: reason)
    }

    // MARK: Reading

    /// Reads the next batch, from as many files as it takes.
    private func advance() {
        var batch: [SourceElement] = []
        var bytes = 0
        var isChecked = false
        fileReason = nil
        while batch.count < Self.mostLines, bytes < Self.mostBytes {
            guard let tail = current ?? openNext() else { break }
            if !isRotated, !isChecked {
                if tail.isTruncated { tail.rewind() }
                isChecked = true
            }
            let line: LineTail.Line?
            do throws(FileError) { line = try tail.next() } catch {
                fileReason = WatchReason.unreadable(path, error)
                retryLater()
                break
            }
            if let line {
                batch.append(element(line))
                bytes += line.bytes.count
            } else if isRotated {
                if let rest = tail.rest() { batch.append(element(rest)) }
                close(tail)
            } else if isReplaced(tail) {
                // Once more to the end, since it may have grown in between.
                isRotated = true
            } else {
                break
            }
        }
        guard !batch.isEmpty else { return }
        isWaiting = true
        output.emit(batch)
    }

    private func close(_ tail: LineTail) {
        if let fileWatch { hub.unwatch(fileWatch, for: self) }
        fileWatch = nil
        current = nil
        isRotated = false
        if backlog.isEmpty { finished = try? tail.file.status }
    }

    /// Whether the path leads to another file by now, whose writer has begun.
    private func isReplaced(_ tail: LineTail) -> Bool {
        guard let status = try? kernel.status(path, following: true), status.kind == .file,
            !status.isSameFile(as: tail.status)
        else {
            successorDeadline = nil
            return false
        }
        if successorDeadline == nil {
            successorWatch = try? hub.watch(path, .modified, isDirectory: false, for: self)
        }
        let deadline = successorDeadline ?? kernel.uptime + Self.patience
        successorDeadline = deadline
        guard status.size > 0 || deadline <= kernel.uptime else { return false }
        successorDeadline = nil
        return true
    }

    private func openNext() -> LineTail? {
        do throws(FileError) {
            switch start {
            case .position(let position): try resume(position)
            case .end: try openLive { (tail) throws(FileError) in try tail.seekToEnd() }
            case nil:
                // Together with the log itself, which may be rotated at any time.
                var live: (any OpenFile)?
                if backlog.isEmpty, let finished { (backlog, live) = rotated.files(after: finished) }
                if let live, backlog.isEmpty {
                    try open(live, from: 0)
                } else if backlog.isEmpty {
                    try openLive { _ in }
                } else {
                    try open(backlog.removeFirst(), from: 0)
                    isRotated = !backlog.isEmpty
                }
            }
            start = nil
            finished = nil
        } catch {
            // What is missing will be new.
            if error.errno == ENOENT, case .end = start { start = nil }
            fileReason =
                error.errno == EINVAL
                ? "\(path.text) is not a regular file" : WatchReason.unreadable(path, error)
            if error.errno != ENOENT { retryLater() }
        }
        return current
    }

    /// Goes on in the file of a position, wherever it is by now.
    private func resume(_ position: LinePosition) throws(FileError) {
        var live: (any OpenFile)?
        do throws(FileError) { live = try kernel.file(path) } catch {
            guard error.errno == ENOENT || error.errno == ENOTDIR else { throw error }
        }
        if let live, position.matches(live) {
            try open(live, from: position.offset)
        } else if let (file, offset) = rotated.file(at: position) {
            try open(file, from: offset)
            backlog = rotated.files(after: try file.status).rotated
            // The last one may still have its writer.
            isRotated = !backlog.isEmpty
        } else if let live {
            try open(live, from: 0)
        } else {
            start = nil
            throw FileError(ENOENT)
        }
    }

    private func openLive(_ prepare: (LineTail) throws(FileError) -> Void) throws(FileError) {
        try open(try kernel.file(path), from: 0)
        if let current { try prepare(current) }
    }

    private func open(_ file: any OpenFile, from offset: Int64) throws(FileError) {
        let tail = try LineTail(file, from: offset)
        guard tail.status.kind == .file else { throw FileError(EINVAL) }
        // Before it is read, so that no change is missed.
        do throws(FileError) {
            fileWatch = try hub.watch(file.watchPath, .modified, isDirectory: false, for: self)
            if let successorWatch, successorWatch != fileWatch { hub.unwatch(successorWatch, for: self) }
            successorWatch = nil
        } catch {
            fileReason = WatchReason.noWatch(path, error)
            retryLater()
        }
        current = tail
    }

    private func element(_ line: LineTail.Line) -> SourceElement {
        var writer = JSONWriter(reserving: line.bytes.count + path.count + 32)
        writer.object { writer in
            writer.field("line", String(decoding: line.bytes, as: UTF8.self))
            writer.field("path", path.text)
            if line.cut > 0 { writer.field("cut", line.cut) }
        }
        return SourceElement(
            value: RawJSON(unchecked: writer.bytes), time: kernel.time, position: line.position.json)
    }
}
