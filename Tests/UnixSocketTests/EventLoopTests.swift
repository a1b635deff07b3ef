import Glibc
import TestSupport
import Testing

@testable import RxLoop
@testable import UnixSocket

private final class NoBatch: TurnEnd {
    func turnEnded() {}
}

@Suite("EventLoop", .ownThreads)
struct EventLoopTests {
    @Test("bodies from four threads are called in the order of each thread, on the loop")
    func order() async throws {
        let loop = try EventLoop()
        loop.start(name: "loop under test")
        let seen = Shared([[Int]](repeating: [], count: 4))
        let wrongThread = Shared(0)
        let threads = (0..<4).map { number in
            let thread = LoopThread()
            thread.start(name: "poster \(number)") {
                for index in 0..<5000 {
                    loop.execute {
                        seen.change { $0[number].append(index) }
                        if !loop.isOnLoop { wrongThread.change { $0 += 1 } }
                    }
                }
            }
            return thread
        }
        for thread in threads { thread.join() }
        #expect(await eventually { seen().allSatisfy { $0.count == 5000 } })
        #expect(seen().allSatisfy { $0 == Array(0..<5000) })
        #expect(wrongThread() == 0)
        #expect(!loop.isOnLoop)
        loop.stop()
        loop.join()
    }

    @Test("a sleeping loop wakes for a body")
    func waking() async throws {
        let loop = try EventLoop()
        loop.start(name: "sleeper")
        for round in 1...50 {
            // Wakes once more, then has nothing to do and sleeps.
            let turns = loop.turns
            let called = Shared(false)
            loop.execute { called.change { $0 = true } }
            #expect(await eventually { called() }, "round \(round)")
            #expect(loop.turns > turns)
        }
        loop.stop()
        loop.join()
    }

    @Test("everything executed before stop is called, and a loop can run again")
    func stopping() throws {
        let loop = try EventLoop()
        let count = Shared(0)
        for _ in 0..<2 {
            for _ in 0..<100 { loop.execute { count.change { $0 += 1 } } }
            loop.stop()
            loop.run()
        }
        #expect(count() == 200)
    }

    @Test("a body executed on the loop is called in the next turn, not at once")
    func nested() throws {
        let loop = try EventLoop()
        let events = Shared<[Int]>([])
        loop.execute {
            loop.execute { events.change { $0.append(2) } }
            events.change { $0.append(1) }
        }
        loop.turn()
        #expect(events() == [1])
        loop.turn()
        #expect(events() == [1, 2])
    }

    @Test("an idle loop sleeps, whatever it has seen before")
    func idle() throws {
        let loop = try EventLoop()
        let wire = try Wire(on: loop)
        wire.peer.send("line\nhalf")
        loop.execute {}
        loop.schedule(after: .zero) {}
        loop.flushAtEndOfTurn(NoBatch())
        loop.turn()
        loop.turn()
        #expect(loop.sleeps())
        wire.socket.close()
        #expect(loop.sleeps())
    }

    @Test("200 clients at once are all answered")
    func manyClients() throws {
        let loop = try EventLoop()
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/s"
        let listener = try Listener(binding: path, loop: loop)
        let echo = Recorder()
        var accepted: [Socket] = []
        echo.onLine = { socket, line in _ = "\(line)\n".withBytes(socket.write) }
        listener.onAccept = {
            accepted.append($0)
            $0.delegate = echo
        }
        let peers = try (0..<200).map { _ in try Peer(connectingTo: path) }
        for round in 0..<3 {
            for (index, peer) in peers.enumerated() { peer.send("client \(index) round \(round)\n") }
            #expect(loop.turn(until: { echo.lines.count == 200 * (round + 1) }))
            for (index, peer) in peers.enumerated() {
                #expect(peer.receive() == Array("client \(index) round \(round)\n".utf8))
            }
        }
        for peer in peers { peer.close() }
        #expect(loop.turn(until: { accepted.allSatisfy(\.isClosed) }))
        listener.close(unlink: true)
    }

    @Test("every descriptor is closed in children, and given back in the end")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            // By what they are: the test library has descriptors of its own.
            func descriptors() -> [Int32: String] {
                var found: [Int32: String] = [:]
                for fd in Int32(3)..<256 {
                    let kind = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
                        let length = buffer.withMemoryRebound(to: CChar.self) {
                            readlink("/proc/self/fd/\(fd)", $0.baseAddress!, $0.count)
                        }
                        return String(decoding: buffer[..<max(0, length)], as: UTF8.self)
                    }
                    let kinds = ["socket:", "pipe:", "anon_inode:", "/dev/null", "/tmp/unixsocket"]
                    if kinds.contains(where: { kind.hasPrefix($0) }) { found[fd] = kind }
                }
                return found
            }
            let before = descriptors()
            // Often enough for one that leaks to stand out.
            for _ in 0..<20 {
                let loop = try EventLoop()
                let directory = try TemporaryDirectory()
                let listener = try Listener(binding: "\(directory.path)/s", loop: loop)
                var accepted: [Socket] = []
                listener.onAccept = { accepted.append($0) }
                let client = try Socket.connect(path: "\(directory.path)/s", loop: loop)
                let signals = try loop.watch(signals: [SIGUSR1]) { _ in }
                precondition(loop.turn(until: { !accepted.isEmpty }))
                // A number may have come free meanwhile and be ours now.
                let ours = descriptors().filter { before[$0.key] != $0.value }
                // epoll, lock, listener, its spare, client, accepted, the pipe for signals; and the eventfd, if it can
                // be distinguished
                precondition(ours.count >= 8)
                for fd in ours.keys { precondition(fcntl(fd, F_GETFD) & FD_CLOEXEC != 0) }
                client.close()
                accepted[0].close()
                signals.cancel()
                listener.close(unlink: true)
            }
            precondition(descriptors().count < before.count + 20)
        }
    }
}
