import Glibc
import RxJSON
import RxStreams
import Testing

@testable import RxSources

/// Keeps what an engine emits.
private final class Kept: FileOutput {
    var lines: [String] = []
    var waiting: String?
    var errors: [String] = []
    var isPending = false
    /// Between two batches.
    var between: () -> Void = {}

    func emit(_ elements: [SourceElement]) {
        lines += elements.map { $0.value.value().object!["line"]!.string! }
        isPending = true
        between()
    }

    func report(waiting reason: String?) { waiting = reason }
    func report(error message: String) { errors.append(message) }
}

@Suite("A line engine")
struct LineEngineTests {
    private let files = ModelFiles()
    private let kernel: ModelKernel
    private let hub: WatchHub
    private let kept = Kept()

    init() {
        kernel = ModelKernel(files)
        hub = WatchHub(kernel: kernel)
        files.makeDirectory("/log")
    }

    private func engine(after position: RawJSON? = nil) -> LineEngine {
        let engine = LineEngine("/log/x", after: position, hub: hub, output: kept)
        hub.add(engine)
        return engine
    }

    /// Takes turns until the engine waits for events or a time, which is returned; nil if it never does.
    @discardableResult
    private func rest(_ engine: LineEngine) -> WatchTurn? {
        for _ in 0..<1000 {
            let turn = hub.turn()
            if kept.isPending {
                kept.isPending = false
                engine.settled()
            } else if turn != .now, files.queue.isEmpty {
                return turn
            }
        }
        return nil
    }

    private func append(_ text: String, to path: String = "/log/x") {
        files.append(files.create(path)!, Array(text.utf8))
    }

    private func position(in path: String, offset: Int64 = 0) -> RawJSON {
        let status = FileStatus(files.node(path)!)
        return LinePosition(status, offset: offset, length: 0, hash: LinePosition.emptyHash).json
    }

    // MARK: Files that cannot be opened

    @Test("rests for 30 seconds with a reason while the log cannot be opened", arguments: [EACCES, EMFILE, EAGAIN])
    func unreadableLog(error: Int32) {
        append("1\n", to: "/log/x.1")
        append("2\n")
        kernel.unreadable = ["/log/x": error]
        let engine = engine(after: position(in: "/log/x.1"))
        let turn = rest(engine)
        #expect(turn != nil, "it must not spin")
        if error != EAGAIN {
            #expect(turn == .at(WatchReason.retry))
            #expect(kept.waiting?.hasPrefix("cannot read /log/x: ") == true)
        }
        #expect(kernel.openings < 20)
        kernel.unreadable = [:]
        files.pass(.seconds(31))
        rest(engine)
        #expect(kept.lines == ["1", "2"])
        #expect(kept.waiting == nil)
    }

    @Test("passes over a rotated file that cannot be opened, with an error, and reads those that follow")
    func unreadableSibling() {
        append("1\n", to: "/log/x.3")
        append("2\n", to: "/log/x.2")
        append("3\n", to: "/log/x.1")
        append("4\n")
        kernel.unreadable = ["/log/x.2": EACCES]
        let engine = engine(after: position(in: "/log/x.3"))
        #expect(rest(engine) != nil)
        #expect(kept.lines == ["1", "3", "4"])
        #expect(kept.waiting == nil)
        #expect(kept.errors.count == 1 && kept.errors[0].hasPrefix("cannot read /log/x.2: "), "\(kept.errors)")
    }

    @Test("has one rotated file open at a time, however many there are")
    func backlog() {
        for number in (1...50).reversed() { append("\(number)\n", to: "/log/x.\(number)") }
        append("0\n")
        var most = 0
        kernel.race = { [kernel] in most = max(most, kernel.openFiles) }
        let engine = engine(after: position(in: "/log/x.50"))
        rest(engine)
        #expect(kept.lines == (0...50).reversed().map { "\($0)" })
        // The one that was read, the log that is looked at for a position, and the next one.
        #expect(most <= 3)
    }

    @Test("reads the files of a backlog in their order, even if an old one is written to meanwhile")
    func lateWriter() {
        append(String(repeating: "3\n", count: 600), to: "/log/x.3")
        append("2\n", to: "/log/x.2")
        append("1\n", to: "/log/x.1")
        append("0\n")
        let engine = engine(after: position(in: "/log/x.3"))
        kept.between = { [files, kept] in
            // A batch ends within the first file.
            guard kept.lines.count < 600 else { return }
            files.append(files.node("/log/x.3")!, Array("late\n".utf8))
        }
        rest(engine)
        #expect(kept.lines.suffix(5) == ["3", "late", "2", "1", "0"])
        #expect(kept.lines.count == 604)
    }

    @Test("reads the files behind that of its position, if that one cannot be opened")
    func unreadablePosition() {
        append("2\n", to: "/log/x.2")
        append("1\n", to: "/log/x.1")
        append("0\n")
        kernel.unreadable = ["/log/x.2": EACCES]
        rest(engine(after: position(in: "/log/x.2")))
        #expect(kept.lines == ["1", "0"])
        #expect(kept.errors.count == 1)
    }

    @Test("does not open what is not a regular file")
    func pipe() {
        files.create("/log/x")
        kernel.pipes = ["/log/x"]
        #expect(rest(engine()) == .at(WatchReason.retry))
        #expect(kept.waiting == "/log/x is not a regular file")
        #expect(kernel.openings == 0)
    }

    // MARK: Files that cannot be read

    @Test("opens a file again that could not be read, and goes on behind what was read", arguments: [false, true])
    func readFailure(isReplaced: Bool) {
        files.create("/log/x")
        let engine = engine()
        rest(engine)
        append("1\n")
        rest(engine)
        kernel.readFailure = EIO
        append("2\n")
        #expect(rest(engine) == .at(WatchReason.retry))
        #expect(kept.waiting == "cannot read /log/x: Input/output error (EIO)")
        #expect(kernel.openFiles == 0)
        if isReplaced {
            files.move("/log/x", to: "/log/x.1")
            append("3\n")
        }
        kernel.readFailure = nil
        files.pass(.seconds(31))
        rest(engine)
        #expect(kept.lines == (isReplaced ? ["1", "2", "3"] : ["1", "2"]))
        #expect(kept.waiting == nil)
    }

    @Test("begins at the end of a log that could not be read at first")
    func readFailureAtFirst() {
        append("old\n")
        kernel.readFailure = EIO
        let engine = engine()
        #expect(rest(engine) == .at(WatchReason.retry))
        kernel.readFailure = nil
        files.pass(.seconds(31))
        rest(engine)
        append("new\n")
        rest(engine)
        #expect(kept.lines == ["new"])
    }

    @Test("a read that fails is not taken for a truncation")
    func failedCheck() {
        files.create("/log/x")
        let engine = engine()
        rest(engine)
        append("1\n")
        rest(engine)
        append("2\n")
        // The check of what was read before, and no more.
        kernel.failingReads = 1
        rest(engine)
        files.pass(.seconds(31))
        rest(engine)
        #expect(kept.lines == ["1", "2"])
    }

    @Test("reads a long line in turns of 4 MiB at most")
    func longLine() {
        files.create("/log/x")
        let engine = engine()
        rest(engine)
        files.append(files.node("/log/x")!, [UInt8](repeating: 0x78, count: 20 << 20))
        append("\n")
        kernel.bytesRead = 0
        #expect(hub.turn() == .now)
        #expect(kernel.bytesRead > 3 << 20 && kernel.bytesRead < 5 << 20)
        #expect(kept.lines.isEmpty)
        rest(engine)
        #expect(kept.lines.map(\.utf8.count) == [LineTail.longestLine])
    }

    // MARK: Watches

    @Test("adds the watch of a file that could not be added at first")
    func failedWatch() {
        files.create("/log/x")
        kernel.watchesLeft = 2
        let engine = engine()
        #expect(rest(engine) == .at(WatchReason.retry))
        #expect(kept.waiting?.contains("fs.inotify.max_user_watches") == true)
        kernel.watchesLeft = 100
        files.pass(.seconds(31))
        rest(engine)
        #expect(kept.waiting == nil)
        append("1\n")
        rest(engine)
        #expect(kept.lines == ["1"])
    }

    @Test("notices the rotation of what a symbolic link leads to")
    func link() {
        files.makeDirectory("/data")
        files.create("/data/log")
        kernel.links = ["/log/x": "/data/log"]
        let engine = engine()
        rest(engine)
        append("1\n", to: "/data/log")
        rest(engine)
        files.move("/data/log", to: "/data/log.1")
        rest(engine)
        append("2\n", to: "/data/log")
        rest(engine)
        files.pass(.seconds(6))
        rest(engine)
        #expect(kept.lines == ["1", "2"])
    }

    @Test("notices a directory that is mounted over that of the log")
    func mount() {
        append("old\n")
        let engine = engine()
        rest(engine)
        files.mount("/log")
        append("1\n")
        files.pass(.seconds(31))
        rest(engine)
        #expect(kept.lines == ["1"])
        files.move("/log/x", to: "/log/x.1")
        append("2\n")
        rest(engine)
        #expect(kept.lines == ["1", "2"])
    }

    @Test("ends the watch of an empty successor that is gone")
    func successor() {
        append("old\n")
        let engine = engine()
        rest(engine)
        let before = files.watchCount
        files.move("/log/x", to: "/log/y")
        files.create("/log/x")
        rest(engine)
        #expect(files.watchCount == before + 1)
        // Still there under another name.
        files.move("/log/x", to: "/log/z")
        rest(engine)
        #expect(files.watchCount == before)
    }
}
