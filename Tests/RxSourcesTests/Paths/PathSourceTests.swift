import Foundation
import RxJSON
import RxPlatform
import RxStreams
import TestSupport
import Testing

@testable import RxSources

@Suite("A path source on the disk", .ownThreads)
struct PathSourceTests {
    private let directory = TemporaryDirectory()
    private let state = TemporaryDirectory()
    private let watcher: FileWatcher

    init() throws { watcher = try FileWatcher(platform: .system) }

    private var root: String { directory.path + "/root" }

    private func make(_ path: String) { mkdir("\(directory.path)/\(path)", 0o755) }

    private func source(_ change: (inout PathOptions) -> Void = { _ in }, index: Bool = false) -> PathSource {
        var options = PathOptions(root: root, recursive: true)
        change(&options)
        return PathSource(options, indexPath: index ? state.path + "/index" : nil, watcher: watcher)
    }

    /// Waits until the source watches: a file that it does not find by its scan is emitted.
    private func started(_ collector: Collector) async -> Int {
        var number = 0
        _ = await eventually {
            number += 1
            directory.write("root/probe", "\(number)")
            return collector.count > 0
        }
        // Whatever the probes cause has come once this one has.
        directory.write("root/last-probe", "")
        _ = await eventually { collector.paths.contains(root + "/last-probe") }
        return collector.count
    }

    @Test("emits what is written, moved, and removed below the root")
    func events() async throws {
        make("root")
        // It is watched when the file comes: a scan of a new directory may meet a file that is not complete yet, and
        // that is written twice.
        make("root/sub")
        let collector = Collector()
        let source = source()
        collector.start(source)
        let before = await started(collector)
        directory.write("root/sub/a", "1")
        #expect(await eventually { collector.count == before + 1 })
        rename(root + "/sub/a", root + "/sub/b")
        #expect(await eventually { collector.count == before + 2 })
        rename(root + "/sub", root + "/other")
        #expect(await eventually { collector.count == before + 3 })
        directory.write("root/other/b", "2")
        #expect(await eventually { collector.count == before + 4 })
        unlink(root + "/other/b")
        rmdir(root + "/other")
        #expect(await eventually { collector.count == before + 6 })
        #expect(
            collector.events(below: root).dropFirst(before) == [
                "written sub/a", "moved sub/b (sub/a)", "moved other (sub)", "written other/b", "removed other/b",
                "removed other",
            ])
        #expect(
            collector.elements.last?.value.text
                == #"{"path":"\#(root)/other","event":"removed","from":null,"directory":true}"#)
        source.stop()
    }

    @Test("emits what is present at the first start, if it is to; links are not followed")
    func existing() async {
        make("root")
        make("root/deep")
        directory.write("root/deep/file", "")
        symlink("/etc", root + "/link")
        let collector = Collector()
        let source = source { $0.existing = true }
        collector.start(source)
        #expect(await eventually { collector.count == 2 })
        #expect(collector.events(below: root).sorted() == ["written deep/file", "written link"])
        source.stop()
    }

    @Test("emits after a restart what changed in between, and again what was not settled")
    func restart() async {
        make("root")
        for name in ["kept", "changed", "removed"] { directory.write("root/\(name)", "1") }
        let first = Collector()
        let source = source({ $0.existing = true }, index: true)
        first.start(source)
        #expect(await eventually { first.count == 3 })
        source.stop()
        directory.write("root/changed", "22")
        directory.write("root/new", "1")
        unlink(root + "/removed")
        for isManual in [true, false] {
            let second = Collector(isManual: isManual)
            second.start(source)
            #expect(await eventually { second.count == 3 })
            #expect(second.events(below: root).sorted() == ["removed removed", "written changed", "written new"])
            source.stop()
        }
        let third = Collector()
        third.start(source)
        let count = await started(third)
        #expect(third.paths.allSatisfy { $0.hasSuffix("probe") }, "\(count)")
        source.stop()
    }

    @Test("waits for a root that is missing, and again for one that is removed")
    func missingRoot() async {
        let collector = Collector()
        let source = source { $0.root = root + "/deep" }
        collector.start(source)
        #expect(await eventually { collector.waiting == "\(root)/deep does not exist" })
        make("root")
        make("root/deep")
        #expect(await eventually { collector.waiting == nil })
        directory.write("root/deep/a", "1")
        #expect(await eventually { collector.paths.contains(root + "/deep/a") })
        rename(root, directory.path + "/elsewhere")
        #expect(await eventually { collector.waiting == "\(root)/deep does not exist" })
        directory.write("elsewhere/deep/b", "1")
        rename(directory.path + "/elsewhere", root)
        #expect(await eventually { collector.waiting == nil })
        #expect(await eventually { collector.paths.contains(root + "/deep/b") })
        source.stop()
    }

    @Test("receives nothing once it is stopped, even if it is stopped while it receives")
    func stop() async {
        make("root")
        for number in 0..<1000 { directory.write("root/\(number)", "") }
        let collector = Collector()
        let source = source { $0.existing = true }
        collector.start(source)
        #expect(await eventually { collector.count > 0 })
        source.stop()
        let count = collector.count
        watcher.run {}
        #expect(collector.count == count)
    }

    @Test("reports that it has more entries than allowed, and finds the rest once there is room")
    func tooMany() async {
        make("root")
        for number in 0..<20 { directory.write("root/\(number)", "") }
        let collector = Collector()
        let source = source {
            $0.existing = true
            $0.most = 10
        }
        collector.start(source)
        #expect(
            await eventually {
                collector.waiting == "\(root) has more than 10 files; raise `most`, or exclude some"
            })
        #expect(collector.count == 10)
        for path in Set(collector.paths) { unlink(path) }
        #expect(await eventually { collector.waiting == nil && Set(collector.paths).count == 20 })
        source.stop()
    }

    /// Creates files while the source's thread is blocked in `receive`, so that the kernel's queue overflows.
    /// `RX_FILES` is their number, and `RX_FILES_IN` the directory.
    @Test("finds every file after the kernel's queue has overflowed")
    func overflow() async {
        let files = getenv("RX_FILES").flatMap { Int(String(cString: $0)) } ?? 20_000
        let directory = TemporaryDirectory(in: getenv("RX_FILES_IN").map { String(cString: $0) } ?? "/tmp")
        let root = directory.path
        for number in 0..<10 { mkdir("\(root)/\(number)", 0o755) }
        let blocked = Latch()
        let released = Latch()
        let collector = Collector { _ in
            blocked.open()
            released.wait()
        }
        let source = source {
            $0.root = root
            $0.most = 2 * files
        }
        collector.start(source)
        var number = 0
        _ = await eventually {
            number += 1
            directory.write("probe", "\(number)")
            return collector.count > 0
        }
        blocked.wait()
        for number in 0..<files { close(creat("\(root)/\(number % 10)/\(number)", 0o644)) }
        let start = ContinuousClock.now
        released.open()
        #expect(await eventually(within: .seconds(280)) { collector.count >= files + 1 })
        print("overflow: \(files) files found in \(ContinuousClock.now - start)")
        let found = Set(collector.paths)
        #expect((0..<files).allSatisfy { found.contains("\(root)/\($0 % 10)/\($0)") })
        source.stop()
    }

    @Test("takes much less than a third of a core for 10,000 events per second")
    func load() async {
        make("root")
        let collector = Collector()
        let source = source()
        collector.start(source)
        _ = await started(collector)
        let before = processorTime()
        let events = 20_000
        // Each write is one event of the mask: the file is there already.
        for number in 0..<events {
            close(open("\(root)/\(number % 100)", O_WRONLY | O_CREAT, 0o644))
        }
        directory.write("root/end", "")
        #expect(await eventually { collector.paths.last == root + "/end" })
        let used = processorTime() - before
        print("load: \(used * 1_000_000 / Double(events)) us of processor time per event, \(collector.count) elements")
        // In a debug build; a third of a core is 33 us.
        #expect(used / Double(events) < 0.000_1)
        source.stop()
    }

    /// Seconds of the watcher's thread.
    private func processorTime() -> Double {
        nonisolated(unsafe) var time = timespec()
        watcher.run { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
