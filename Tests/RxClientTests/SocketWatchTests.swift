import Glibc
import RxLoop
import RxProtocol
import Synchronization
import TestSupport
import Testing

@testable import RxClient

@Suite("A watch on a socket", .ownThreads(limit: .seconds(60)))
struct SocketWatchTests {
    private let root = TemporaryDirectory()

    /// Calls `body` with the number of changes that a watch on `path` has seen so far.
    private func withWatch(on path: String, _ body: (_ changes: () -> Int) async throws -> Void) async throws {
        let loop = try EventLoop()
        let watched = Watched()
        loop.start(name: "watch")
        loop.execute { watched.begin(path, loop) }
        #expect(await eventually { watched.hasBegun })
        try await body { watched.changes }
        loop.execute { watched.end() }
        loop.stop()
        loop.join()
    }

    // Unchecked: the watch is used on the loop's thread only.
    private final class Watched: @unchecked Sendable {
        private var watch: SocketWatch?
        private let count = Atomic<Int>(-1)

        var hasBegun: Bool { count.load(ordering: .relaxed) >= 0 }
        var changes: Int { count.load(ordering: .relaxed) }

        func begin(_ path: String, _ loop: EventLoop) {
            watch = SocketWatch(path: path, loop: loop) { [unowned self] in count.add(1, ordering: .relaxed) }
            count.store(0, ordering: .relaxed)
        }

        func end() {
            watch?.cancel()
            watch = nil
        }
    }

    private func make(_ path: String) { close(open(path, O_CREAT | O_CLOEXEC | O_WRONLY, 0o600)) }

    @Test("sees the socket, however it comes, and nothing else in its directory")
    func appears() async throws {
        let path = root.path + "/rxd.sock"
        try await withWatch(on: path) { changes in
            for number in 0..<100 { make("\(root.path)/other-\(number)") }
            make(path)
            #expect(await eventually { changes() > 0 })
            // The kernel reports changes in their order: those of the others came before.
            let seen = changes()
            #expect(seen <= 2)
            unlink(path)
            make(root.path + "/new")
            rename(root.path + "/new", path)
            #expect(await eventually { changes() > seen })
        }
    }

    @Test("sees a directory that appears, with the socket in it")
    func directory() async throws {
        let directory = root.path + "/run/rxd"
        try await withWatch(on: directory + "/rxd.sock") { changes in
            for _ in 0..<3 {
                var before = changes()
                mkdir(root.path + "/run", 0o700)
                #expect(await eventually { changes() > before })
                mkdir(directory, 0o700)
                before = changes()
                make(directory + "/rxd.sock")
                #expect(await eventually { changes() > before })
                unlink(directory + "/rxd.sock")
                rmdir(directory)
                before = changes()
                rmdir(root.path + "/run")
                #expect(await eventually { changes() > before })
            }
        }
    }

    @Test("connects a client as soon as the daemon is back, however long it would wait otherwise")
    func reconnects() async throws {
        let patient = Reconnecting(first: .seconds(3600), longest: .seconds(3600), patience: .seconds(3600))
        try await withFakeDaemon({ request, peer in peer.answer(request, "1") }) { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: patient)
            for _ in 0..<3 {
                daemon.goAway()
                daemon.comeBack()
                // One that is on its way over the lost connection fails.
                while (try? await client.call(Method.actionList.rawValue)) == nil {}
            }
        }
    }
}
