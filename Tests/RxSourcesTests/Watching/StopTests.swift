import Rx
import RxPlatform
import RxStreams
import Synchronization
import TestSupport
import Testing

@testable import RxSources

@Suite("The stop of a user of files", .ownThreads)
struct StopTests {
    private final class Flag: Sendable {
        private let flag = Mutex(false)

        var isSet: Bool { flag.withLock { $0 } }
        func set() { flag.withLock { $0 = true } }
    }

    private let directory = TemporaryDirectory()
    private let watcher: FileWatcher

    init() throws { watcher = try FileWatcher(platform: .system) }

    /// Whether `stop` returns while the thread of files hangs, as on a dead disk. `change` is made before.
    private func returns(change: () -> Void = {}, _ stop: @escaping @Sendable () -> Void) async -> Bool {
        let (hanging, hang) = (Latch(), Latch())
        let hasReturned = Flag()
        watcher.execute {
            hanging.open()
            hang.wait()
        }
        hanging.wait()
        change()
        Platform.system.queues.serial("test.stop").async {
            stop()
            hasReturned.set()
        }
        let returns = await eventually { hasReturned.isSet }
        hang.open()
        // Also what was due before the stop.
        watcher.run {}
        watcher.run {}
        return returns
    }

    @Test("does not wait for the thread of files, and nothing is emitted after it")
    func sources() async {
        let (logs, root) = (TemporaryDirectory(), TemporaryDirectory())
        let lines = LineSource(path: logs.path + "/log", watcher: watcher)
        let paths = PathSource(PathOptions(root: root.path), indexPath: nil, watcher: watcher)
        let sources: [(any StreamSource, TemporaryDirectory)] = [(lines, logs), (paths, root)]
        for (source, directory) in sources {
            let collector = Collector()
            collector.start(source)
            watcher.run {}
            watcher.run {}
            #expect(await returns(change: { directory.write("log", "line\n") }) { source.stop() })
            #expect(collector.count == 0)
        }
    }

    @Test("of a presence does not wait either")
    func presence() async {
        let path = directory.path + "/flag"
        let kept = Kept()
        let presence = PathPresence(path, watcher: watcher) { kept.add($0) }
        #expect(await eventually { kept.all == [false] })
        #expect(await returns(change: { directory.write("flag", "") }) { presence.stop() })
        #expect(kept.all == [false])
    }

    private final class Kept: Sendable {
        private let kept = Mutex<[Bool]>([])

        var all: [Bool] { kept.withLock { $0 } }
        func add(_ isPresent: Bool) { kept.withLock { $0.append(isPresent) } }
    }

    @Test("draining ends after what was asked before, and after its limit if the thread is held up")
    func drain() throws {
        let watcher = try FileWatcher(platform: .system)
        let (done, held) = (Latch(), Latch())
        let order = Locked<[String]>([])
        watcher.execute { order.withLock { $0.append("work") } }
        watcher.drain(
            {
                order.withLock { $0.append("drained") }
                done.open()
            }, orAfter: .seconds(60), on: Platform.system.queues.shared)
        done.wait()
        #expect(order.withLock { $0 } == ["work", "drained"])

        watcher.execute { held.wait() }
        let late = Latch()
        let count = Locked(0)
        let end: @Sendable () -> Void = {
            count.withLock { $0 += 1 }
            late.open()
        }
        watcher.drain(end, orAfter: .milliseconds(20), on: Platform.system.queues.shared)
        late.wait()
        held.open()
        watcher.run {}
        #expect(count.withLock { $0 } == 1)
    }
}
