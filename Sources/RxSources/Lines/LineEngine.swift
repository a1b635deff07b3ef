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

    /// Between attempts to open a file while names change all the time.
    private static let pause = Duration.milliseconds(100)

    private static let directoryEvents: WatchEvents = [
        .created, .movedTo, .movedFrom, .removed, .attributes, .removedItself, .movedItself,
    ]

    private let path: RawPath
    private let hub: WatchHub
    private let output: any FileOutput
    private var files: LineFiles
    private lazy var wait = DirectoryWait(path.parent, hub: hub, user: self)

    private var current: LineTail?
    /// Whether `current` is a rotated file, which ends.
    private var isRotated = false
    private var fileWatch: Int32?
    private var directoryWatch: Int32?
    /// The watch on an empty file that follows `current`, so that its first line is noticed.
    private var successorWatch: Int32?
    private var isWaiting = false
    private var mustLook = true
    /// Whether there may be something to read, since an event, a time, or the last batch.
    private var mustRead = true
    private var successorDeadline: Duration?
    /// When the path is looked at again, apart from events.
    private var lookAgainAt: Duration?
    private var retryAt: Duration?
    private var passedOver: RotatedFiles.Unreadable?
    private var directoryReason: String?
    /// The directory that is watched.
    private var directory: FileStatus?
    /// When the path of the directory is checked: the kernel does not announce that something is mounted over it.
    private var checkAt: Duration?
    private var fileReason: String?
    /// Why `current` is not watched.
    private var watchReason: String?
    private var reported: String?

    private var kernel: any FileKernel { hub.kernel }

    init(_ path: String, after position: RawJSON?, hub: WatchHub, output: any FileOutput) {
        self.path = RawPath(path)
        self.hub = hub
        self.output = output
        files = LineFiles(self.path, after: position, kernel: hub.kernel)
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
            if event.events.contains(.ignored) {
                fileWatch = nil
                retryLater()
            }
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
        if let checkAt, checkAt <= kernel.uptime { check() }
        if mustLook {
            watchDirectory()
            mustRead = true
        }
        if let successorDeadline, successorDeadline <= kernel.uptime { mustRead = true }
        if let lookAgainAt, lookAgainAt <= kernel.uptime {
            self.lookAgainAt = nil
            mustRead = true
        }
        guard !isWaiting else { return .idle }
        if mustRead {
            mustRead = false
            advance()
            report(current == nil ? directoryReason ?? fileReason : fileReason ?? watchReason)
        }
        guard !isWaiting else { return .idle }
        if mustRead { return .now }
        var next = WatchTurn.idle
        for time in [successorDeadline, lookAgainAt, retryAt, checkAt] {
            next = next.earlier(time.map(WatchTurn.at) ?? .idle)
        }
        return next
    }

    private func watchDirectory() {
        mustLook = false
        directoryReason = nil
        switch wait.look() {
        case .present(let status):
            directory = status
            checkAt = kernel.uptime + WatchReason.retry
            let former = directoryWatch
            do throws(FileError) {
                directoryWatch = try hub.watch(path.parent, Self.directoryEvents, for: self)
            } catch {
                directoryWatch = nil
                directoryReason = WatchReason.noWatch(path.parent, error)
                retryLater()
            }
            if let former, former != directoryWatch { hub.unwatch(former, for: self) }
        case .missing(let reason):
            directoryReason = reason
            if let directoryWatch { hub.unwatch(directoryWatch, for: self) }
            directoryWatch = nil
            (directory, checkAt) = (nil, nil)
            retryLater()
        }
        if let current, fileWatch == nil { watchFile(current) }
    }

    private func check() {
        checkAt = kernel.uptime + WatchReason.retry
        let status = try? kernel.status(path.parent, following: true)
        guard let status, let directory, status.isSameFile(as: directory) else {
            mustLook = true
            return
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
            do throws(FileError) {
                if !isRotated, !isChecked { try rewindIfTruncated(tail) }
                isChecked = true
                switch try tail.next() {
                case .line(let line):
                    batch.append(element(line))
                    bytes += line.bytes.count
                    continue
                case .more: mustRead = true
                case .end where isRotated:
                    if let rest = tail.rest() { batch.append(element(rest)) }
                    close(tail)
                    continue
                case .end where isReplaced(tail):
                    // Once more to the end, since it may have grown in between, or was truncated before it was renamed.
                    try rewindIfTruncated(tail)
                    isRotated = true
                    continue
                case .end: break
                }
            } catch {
                // The path may lead to another file by now, which can be read.
                drop(tail)
                fileReason = WatchReason.unreadable(path, error)
                retryLater()
            }
            break
        }
        guard !batch.isEmpty else { return }
        isWaiting = true
        output.emit(batch)
    }

    private func rewindIfTruncated(_ tail: LineTail) throws(FileError) {
        if try tail.isTruncated() { tail.rewind() }
    }

    private func close(_ tail: LineTail) {
        leave()
        files.ended(tail)
    }

    /// Gives up an open file. It is looked for again, to go on behind what was read.
    private func drop(_ tail: LineTail) {
        leave()
        files.resume(after: tail.position)
    }

    private func leave() {
        if let fileWatch { hub.unwatch(fileWatch, for: self) }
        fileWatch = nil
        watchReason = nil
        current = nil
        isRotated = false
    }

    /// Whether the log goes on in another file by now, whose writer has begun.
    private func isReplaced(_ tail: LineTail) -> Bool {
        let successor = files.successor(of: tail.file)
        switch successor {
        case .none:
            successorDeadline = nil
            if let successorWatch, successorWatch != fileWatch { hub.unwatch(successorWatch, for: self) }
            successorWatch = nil
            lookAgainLater()
            return false
        case .written:
            successorDeadline = nil
            return true
        case .empty, .unclear:
            let isDue = successorDeadline.map { $0 <= kernel.uptime } ?? false
            if case .empty = successor {
                if isDue {
                    successorDeadline = nil
                    return true
                }
                if successorDeadline == nil { watchSuccessor() }
            }
            if successorDeadline == nil || isDue { successorDeadline = kernel.uptime + Self.patience }
            return false
        }
    }

    private func watchSuccessor() {
        let former = successorWatch
        successorWatch = try? hub.watch(path, .modified, isDirectory: false, for: self)
        if let former, former != successorWatch, former != fileWatch { hub.unwatch(former, for: self) }
    }

    /// The directory of what a link leads to is not watched: a rotation there is not announced.
    private func lookAgainLater() {
        guard (try? kernel.status(path, following: false))?.kind == .link else { return }
        lookAgainAt = kernel.uptime + Self.patience
    }

    private func openNext() -> LineTail? {
        defer { reportPassedOver() }
        do throws(FileError) {
            let choice = try files.next()
            let tail: LineTail
            switch choice.begin {
            case .beginning: tail = try LineTail(choice.file, from: 0)
            case .position(let position):
                tail = try LineTail(choice.file, from: position.offset)
                // Whatever was truncated while files were chosen.
                if try !position.matches(choice.file) { tail.rewind() }
            case .end:
                tail = try LineTail(choice.file, from: 0)
                try tail.seekToEnd()
            }
            files.begun(choice)
            follow(tail)
            isRotated = choice.isRotated
            return tail
        } catch {
            if error.errno == EAGAIN {
                lookAgainAt = kernel.uptime + Self.pause
                return nil
            }
            fileReason =
                error.errno == EINVAL
                ? "\(path.text) is not a regular file" : WatchReason.unreadable(path, error)
            if error.errno == ENOENT { lookAgainLater() } else { retryLater() }
            return nil
        }
    }

    /// Once for each rotated file.
    private func reportPassedOver() {
        guard let unreadable = files.unreadable, unreadable != passedOver else { return }
        passedOver = unreadable
        let reason = WatchReason.unreadable(unreadable.path, unreadable.error)
        output.report(error: "\(reason); its lines are passed over")
    }

    /// Goes on with a file. It is watched before it is read, so that no change is missed.
    private func follow(_ tail: LineTail) {
        current = tail
        watchFile(tail)
        if let successorWatch, successorWatch != fileWatch { hub.unwatch(successorWatch, for: self) }
        successorWatch = nil
    }

    private func watchFile(_ tail: LineTail) {
        do throws(FileError) {
            fileWatch = try hub.watch(tail.file.watchPath, .modified, isDirectory: false, for: self)
            watchReason = nil
        } catch {
            watchReason = WatchReason.noWatch(path, error)
            retryLater()
        }
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
