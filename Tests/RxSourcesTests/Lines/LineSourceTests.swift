import Foundation
import RxJSON
import RxPlatform
import RxStreams
import TestSupport
import Testing

@testable import RxSources

@Suite("A line source on the disk", .ownThreads)
struct LineSourceTests {
    private let directory = TemporaryDirectory()
    private let watcher: FileWatcher

    init() throws { watcher = try FileWatcher(platform: .system) }

    private var path: String { directory.path + "/log" }

    private func append(_ text: String, to path: String? = nil) { append(Array(text.utf8), to: path) }

    private func append(_ bytes: [UInt8], to path: String? = nil) {
        let file = open(path ?? self.path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
        _ = write(file, bytes, bytes.count)
        close(file)
    }

    private func started() async -> (Collector, LineSource) {
        let collector = Collector()
        let source = LineSource(path: path, watcher: watcher)
        collector.start(source)
        // The second one runs behind the turn that `start` causes.
        watcher.run {}
        watcher.run {}
        return (collector, source)
    }

    @Test("emits new lines once they have their end")
    func newLines() async {
        append("old\nhalf")
        let (collector, source) = await started()
        append(" and half\n")
        #expect(await eventually { collector.lines == ["half and half"] })
        append("last")
        append("line\n")
        #expect(await eventually { collector.lines.last == "lastline" })
        #expect(collector.elements.last?.value.text == #"{"line":"lastline","path":"\#(path)"}"#)
        source.stop()
    }

    @Test("waits for a missing file, and reads it from its beginning")
    func missing() async {
        let (collector, source) = await started()
        #expect(await eventually { collector.waiting == "\(path) does not exist" })
        append("one\ntwo\n")
        #expect(await eventually { collector.lines == ["one", "two"] })
        #expect(await eventually { collector.waiting == nil })
        source.stop()
    }

    @Test("reads a renamed file to its end before the new one, and a truncated one from its beginning")
    func rotation() async {
        let (collector, source) = await started()
        #expect(await eventually { collector.waiting != nil })
        append("1\n")
        #expect(await eventually { collector.count == 1 })
        rename(path, path + ".1")
        append("2\n", to: path + ".1")
        append("3\n")
        #expect(await eventually { collector.count == 3 })
        truncate(path, 0)
        append("4\n")
        #expect(await eventually { collector.count == 4 })
        truncate(path, 0)
        append("5 is longer\n")
        #expect(await eventually { collector.count == 5 })
        #expect(collector.lines == ["1", "2", "3", "4", "5 is longer"])
        source.stop()
    }

    @Test("goes on after a restart where it stopped, through rotated files")
    func restart() async {
        let (first, source) = await started()
        #expect(await eventually { first.waiting != nil })
        append("1\n2\n")
        #expect(await eventually { first.count == 2 })
        source.stop()
        append("3\n")
        rename(path, path + ".1")
        append("4\n")
        rename(path + ".1", path + ".2")
        rename(path, path + ".1")
        append("5\n")
        let second = Collector()
        second.start(source, after: first.elements[0].position)
        #expect(await eventually { second.count == 4 })
        #expect(second.lines == ["2", "3", "4", "5"])
        source.stop()
    }

    @Test("reads a file from its beginning that another one has replaced meanwhile")
    func replaced() async {
        let (first, source) = await started()
        #expect(await eventually { first.waiting != nil })
        append("1\n")
        #expect(await eventually { first.count == 1 })
        source.stop()
        // The same file with other content.
        truncate(path, 0)
        append("2\n3\n")
        let second = Collector()
        second.start(source, after: first.elements[0].position)
        #expect(await eventually { second.lines == ["2", "3"] })
        source.stop()
    }

    @Test("emits at the next start what was written while it was down before its first line", arguments: [false, true])
    func origin(exists: Bool) async throws {
        if exists { append("old\nhalf") }
        let source = LineSource(path: path, watcher: watcher, keepsPosition: true)
        let first = Collector()
        first.start(source)
        let origin = try #require(source.origin)
        source.stop()
        append(" and half\n")
        if exists {
            rename(path, path + ".1")
            append("new\n")
        }
        let second = Collector()
        second.start(source, after: origin)
        #expect(source.origin == nil)
        #expect(await eventually { second.count == (exists ? 2 : 1) })
        #expect(second.lines == (exists ? ["half and half", "new"] : [" and half"]))
        source.stop()
        #expect(first.count == 0)
    }

    @Test("a first start begins where its origin is, whatever is written before its thread gets to it")
    func slowStart() async throws {
        append("old\n")
        let hang = Latch()
        watcher.execute { hang.wait() }
        let source = LineSource(path: path, watcher: watcher, keepsPosition: true)
        let collector = Collector()
        collector.start(source)
        append("new\n")
        hang.open()
        #expect(await eventually { collector.lines == ["new"] })
        source.stop()
    }

    @Test("cuts long lines and counts the rest; replaces what is not UTF-8")
    func longLines() async {
        let (collector, source) = await started()
        #expect(await eventually { collector.waiting != nil })
        append(String(repeating: "x", count: LineTail.longestLine + 200_000))
        append("yz\n")
        append([0x61, 0xFF, 0x62, 0x0A])
        #expect(await eventually { collector.count == 2 })
        let long = collector.elements[0].value.value().object!
        #expect(long["line"]!.string!.utf8.count == LineTail.longestLine)
        #expect(long["cut"]!.int == 200_002)
        #expect(collector.lines[1] == "a\u{FFFD}b")
        source.stop()
    }
}
