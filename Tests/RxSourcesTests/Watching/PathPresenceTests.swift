import Glibc
import RxPlatform
import Synchronization
import Testing
import TestSupport

@testable import RxSources

@Suite("The presence of a path")
struct PathPresenceTests {
    private final class Reports: Sendable {
        private let reports = Mutex<[Bool]>([])

        var all: [Bool] { reports.withLock { $0 } }
        func add(_ isPresent: Bool) { reports.withLock { $0.append(isPresent) } }
    }

    @Test("is reported at first and at each change, also when directories above it come and go")
    func changes() async throws {
        let directory = TemporaryDirectory()
        let (above, path) = (directory.path + "/a", directory.path + "/a/b/flag")
        let reports = Reports()
        let watcher = try FileWatcher(platform: .system)
        let presence = PathPresence(path, watcher: watcher) { reports.add($0) }
        #expect(await eventually { reports.all == [false] })
        #expect(mkdir(above, 0o755) == 0 && mkdir(above + "/b", 0o755) == 0 && mkdir(path, 0o755) == 0)
        #expect(await eventually { reports.all == [false, true] })
        #expect(rename(above, above + "2") == 0)
        #expect(await eventually { reports.all == [false, true, false] })
        #expect(rename(above + "2", above) == 0)
        #expect(await eventually { reports.all == [false, true, false, true] })
        #expect(rmdir(path) == 0)
        #expect(await eventually { reports.all == [false, true, false, true, false] })
        presence.stop()
        #expect(mkdir(path, 0o755) == 0)
        let after = Reports()
        let second = PathPresence(path, watcher: watcher) { after.add($0) }
        #expect(await eventually { after.all == [true] })
        second.stop()
        #expect(reports.all.count == 5, "nothing is reported after the stop")
    }

    @Test("is reported within seconds if the target of a link appears, or something is mounted over a directory")
    func unannounced() {
        let files = ModelFiles()
        let kernel = ModelKernel(files)
        let hub = WatchHub(kernel: kernel)
        files.makeDirectory("/a")
        kernel.links = ["/a/flag": "/b/flag"]
        let reports = Reports()
        let user = PresenceUser(RawPath("/a/flag"), hub: hub) { reports.add($0) }
        hub.add(user)
        func pass() {
            _ = hub.turn()
            files.pass(.seconds(6))
            _ = hub.turn()
        }
        pass()
        #expect(reports.all == [false])
        files.makeDirectory("/b")
        files.create("/b/flag")
        pass()
        #expect(reports.all == [false, true])
        files.mount("/b")
        pass()
        #expect(reports.all == [false, true, false])
    }
}
