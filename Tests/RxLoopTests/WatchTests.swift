import Glibc
import TestSupport
import Testing

@testable import RxLoop

@Suite("Watch", .ownThreads)
struct WatchTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    /// The read end and the write end.
    private func makePipe() throws -> (Descriptor, Descriptor) {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (Descriptor(fd: ends[0]), Descriptor(fd: ends[1]))
    }

    @Test("a pipe is readable while it holds bytes, and hangs up when its writer goes")
    func readable() throws {
        let (reader, writer) = try makePipe()
        var seen: [Readiness] = []
        let watch = try loop.watch(fd: reader.fd, .readable) { seen.append($0) }
        loop.turn()
        #expect(seen.isEmpty)
        write(writer.fd, "x", 1)
        loop.turn()
        #expect(seen == [.readable])
        var byte: UInt8 = 0
        read(reader.fd, &byte, 1)
        writer.close()
        // A child that another test is starting at this moment may hold the pipe until it executes its program.
        #expect(loop.turn(until: { seen.count > 1 }))
        #expect(seen == [.readable, .hangUp])
        watch.cancel()
        loop.turn()
        #expect(seen.count == 2)
    }

    @Test("with no interest at all, a reader of stdout that goes away is noticed")
    func hangUpOnly() throws {
        let (reader, writer) = try makePipe()
        var seen: [Readiness] = []
        let watch = try loop.watch(fd: writer.fd, .hangUp) { seen.append($0) }
        loop.turn()
        #expect(seen.isEmpty)
        reader.close()
        #expect(loop.turn(until: { !seen.isEmpty }))
        #expect(seen == [.hangUp])
        watch.cancel()
    }

    @Test("an interest can change")
    func interest() throws {
        let (reader, writer) = try makePipe()
        var seen: [Readiness] = []
        let watch = try loop.watch(fd: writer.fd, []) { seen.append($0) }
        watch.interest = .writable
        loop.turn()
        watch.interest = []
        loop.turn()
        #expect(seen == [.writable])
        watch.cancel()
        withExtendedLifetime(reader) {}
    }

    @Test("what never blocks is always ready while there is an interest", arguments: ["/dev/null", "/etc/passwd"])
    func alwaysReady(path: String) throws {
        let file = Descriptor(fd: open(path, O_RDONLY))
        var seen: [Readiness] = []
        let watch = try loop.watch(fd: file.fd, .readable) { seen.append($0) }
        loop.turn(waitingAtMost: nil)
        loop.turn(waitingAtMost: nil)
        #expect(seen == [.readable, .readable])
        watch.interest = []
        loop.turn()
        #expect(seen.count == 2)
        watch.interest = .readable
        loop.turn()
        watch.cancel()
        loop.turn()
        #expect(seen.count == 3)
    }

    @Test("a handler may cancel its own watch, which is released with it")
    func cancelInside() throws {
        for path in ["/dev/null", "/dev/zero"] {
            let file = Descriptor(fd: open(path, O_RDONLY))
            weak var released: Watch?
            var calls = 0
            do {
                var watch: Watch?
                watch = try loop.watch(fd: file.fd, .readable) { _ in
                    calls += 1
                    watch?.cancel()
                    watch = nil
                }
                released = watch
                loop.turn()
                loop.turn()
            }
            #expect(calls == 1, "\(path)")
            #expect(released == nil)
        }
    }

    @Test("a closed descriptor cannot be watched")
    func closed() throws {
        #expect(throws: SystemCallError("epoll_ctl", errno: EBADF)) {
            try loop.watch(fd: -1, .readable) { _ in }
        }
    }

    @Test("a signal arrives on the loop instead of ending the process")
    func signals() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            var seen: [Int32] = []
            let watch = try loop.watch(signals: [SIGUSR1, SIGTERM]) { seen.append($0) }
            pthread_kill(pthread_self(), SIGTERM)
            precondition(loop.turn(until: { seen == [SIGTERM] }))
            watch.cancel()
            pthread_kill(pthread_self(), SIGUSR1)
            loop.turn()
            precondition(seen == [SIGTERM], "ignored, and heard by nobody")
        }
    }
}
