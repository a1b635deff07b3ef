import Glibc
import TestSupport
import Testing

@testable import RxLoop
@testable import UnixSocket

private final class Held {
    private let bound: BoundSocket
    init(_ bound: consuming BoundSocket) { self.bound = bound }
}

@Suite("BoundSocket", .ownThreads)
struct BoundSocketTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/rxd.sock" }

    init() throws { directory = try TemporaryDirectory() }

    private func bind(mode: mode_t = 0o660) -> SocketError? {
        do throws(SocketError) {
            _ = try BoundSocket(path: path, mode: mode)
            return nil
        } catch { return error }
    }

    private func mode(of path: String) -> mode_t? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts.st_mode : nil
    }

    @Test(
        "the mode is what was asked for, whatever the umask, and nothing else is left in the directory",
        arguments: [
            mode_t(0o660), 0o600, 0o666, 0o777,
        ])
    func mode(_ wanted: mode_t) throws {
        let bound = try BoundSocket(path: path, mode: wanted)
        #expect(mode(of: path) == S_IFSOCK | wanted)
        #expect(directory.contents == ["rxd.sock", "rxd.sock.lock"])
        bound.removeFiles()
        #expect(directory.contents.isEmpty)
    }

    @Test("from the first instant it is seen the socket has its mode and answers")
    func firstInstant() throws {
        let done = Shared(false)
        let seen = Shared<[String: Int]>([:])
        let watcher = LoopThread()
        watcher.start(name: "watcher") { [path] in
            while !done() {
                var facts = stat()
                guard lstat(path, &facts) == 0, let client = try? Peer(fd: SocketPath.makeSocket()) else { continue }
                let answer = (try? SocketPath(path).connect(client.fd)) ?? -1
                let mode = String(facts.st_mode & 0o7777, radix: 8)
                seen.change { $0["\(mode) \(answer == -ECONNREFUSED ? "refused" : "")", default: 0] += 1 }
            }
        }
        // None stops listening while the watcher may still be on its way to it.
        let listening = try (0..<50).map { _ in
            let bound = try BoundSocket(path: path, mode: 0o660)
            let seenBefore = seen().values.reduce(0, +)
            while seen().values.reduce(0, +) == seenBefore { sched_yield() }
            bound.removeFiles()
            return Held(bound)
        }
        done.change { $0 = true }
        watcher.join()
        #expect(listening.count == 50)
        #expect(seen().keys.sorted() == ["660 "])
    }

    @Test(
        "from the first instant it is seen the socket has its group, and its mode with it",
        .enabled(if: getuid() == 0, "only root may give it to any group"))
    func group() throws {
        let done = Shared(false)
        let seen = Shared<Set<String>>([])
        let watcher = LoopThread()
        watcher.start(name: "watcher") { [path] in
            while !done() {
                var facts = stat()
                guard lstat(path, &facts) == 0 else { continue }
                _ = seen.change { $0.insert("\(facts.st_gid) \(String(facts.st_mode & 0o7777, radix: 8))") }
            }
        }
        for round in 0..<50 {
            seen.change { $0 = [] }
            let bound = try BoundSocket(path: path, mode: 0o660, group: 1)
            while seen().isEmpty { sched_yield() }
            bound.removeFiles()
            #expect(seen() == ["1 660"], "round \(round)")
        }
        done.change { $0 = true }
        watcher.join()
    }

    @Test("a path where somebody answers is refused, whether they know our lock or not")
    func live() throws {
        let other = try SocketPath.makeSocket()
        try #require(try SocketPath(path).bind(other) == 0 && listen(other, 0) == 0)
        #expect(bind() == .inUse(path: path))
        // The queue is full now: a sign of life too.
        let client = try Peer(fd: SocketPath.makeSocket())
        #expect(try SocketPath(path).connect(client.fd) == -EAGAIN)
        #expect(bind() == .inUse(path: path))
        close(other)
        unlink(path)

        let ours = try BoundSocket(path: path, mode: 0o660)
        #expect(bind() == .inUse(path: path))
        ours.removeFiles()
    }

    @Test("a dead socket is replaced, with or without a lock file")
    func dead() throws {
        let other = try SocketPath.makeSocket()
        try #require(try SocketPath(path).bind(other) == 0)
        close(other)
        // The end of a daemon that removes nothing, twice.
        for _ in 0..<2 {
            do { _ = try BoundSocket(path: path, mode: 0o660) }
            #expect(directory.contents == ["rxd.sock", "rxd.sock.lock"])
        }
        let bound = try BoundSocket(path: path, mode: 0o660)
        _ = try Peer(connectingTo: path)
        bound.removeFiles()
    }

    @Test("what is no socket is left alone")
    func notASocket() throws {
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(bind() == .notASocket(path: path))
        unlink(path)
        try #require(symlink("/nowhere", path) == 0)
        #expect(bind() == .notASocket(path: path))
        #expect(mode(of: path).map { $0 & S_IFMT } == S_IFLNK)
    }

    @Test("of several that start at once on a dead socket exactly one gets the path")
    func race() throws {
        let other = try SocketPath.makeSocket()
        try #require(try SocketPath(path).bind(other) == 0)
        close(other)
        for round in 0..<10 {
            let (winners, refusals, go) = (Shared(0), Shared<[SocketError]>([]), Shared(false))
            let threads = (0..<4).map { number in
                let thread = LoopThread()
                thread.start(name: "starter \(number)") { [path] in
                    while !go() { sched_yield() }
                    do throws(SocketError) {
                        let bound = try BoundSocket(path: path, mode: 0o660)
                        winners.change { $0 += 1 }
                        while winners() + refusals().count < 4 { sched_yield() }
                        if (try? Peer(connectingTo: path)) == nil { winners.change { $0 += 100 } }
                        _ = consume bound
                    } catch { refusals.change { $0.append(error) } }
                }
                return thread
            }
            go.change { $0 = true }
            for thread in threads { thread.join() }
            #expect(winners() == 1, "round \(round)")
            #expect(refusals() == Array(repeating: .inUse(path: path), count: 3))
        }
    }

    @Test("a path of 107 bytes works, one more is an error that names it")
    func longPath() throws {
        let room = 107 - directory.path.utf8.count - 1
        let fitting = "\(directory.path)/" + String(repeating: "s", count: room)
        let bound = try BoundSocket(path: fitting, mode: 0o660)
        _ = try Peer(connectingTo: fitting)
        bound.removeFiles()
        do throws(SocketError) {
            _ = try BoundSocket(path: fitting + "s", mode: 0o660)
            Issue.record("bound")
        } catch {
            #expect(error == .pathTooLong(path: fitting + "s", limit: 107))
        }
    }

    @Test("a directory that is not there is named")
    func noDirectory() throws {
        do throws(SocketError) {
            _ = try BoundSocket(path: "/nonexistent/dir/s", mode: 0o660)
            Issue.record("bound")
        } catch {
            #expect(error.errno == ENOENT)
            #expect(error.path == "/nonexistent/dir/s.lock")
        }
    }

    @Test("a path that names another socket by now is left to it")
    func replaced() throws {
        let bound = try BoundSocket(path: path, mode: 0o660)
        unlink(path)
        let other = try SocketPath.makeSocket()
        try #require(try SocketPath(path).bind(other) == 0)
        bound.removeFiles()
        #expect(directory.contents == ["rxd.sock"])
        close(other)
    }

    @Test("a relative path without a directory is beside the program")
    func relative() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            precondition(chdir(directory.path) == 0)
            let bound = try BoundSocket(path: "s", mode: 0o600)
            _ = try Peer(connectingTo: "\(directory.path)/s")
            bound.removeFiles()
            precondition(directory.contents.isEmpty)
        }
    }
}

@Suite("SocketLock", .ownThreads)
struct SocketLockTests {
    @Test("a lock that a child of a killed daemon still shares is waited for")
    func shared() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/s"
        let file = open(path + ".lock", O_RDWR | O_CREAT, 0o600)
        try #require(file >= 0 && flock(file, LOCK_EX) == 0)
        var waits = 0
        // The child executes its program at the last moment.
        _ = try SocketLock(for: path) {
            waits += 1
            if waits == 250 { close(file) }
        }
        #expect(waits == 250)
        // A lock that is not released is in use.
        let other = open(path + ".lock", O_RDWR | O_CREAT, 0o600)
        try #require(other >= 0 && flock(other, LOCK_EX) == 0)
        #expect(throws: SocketError.inUse(path: path)) { _ = try SocketLock(for: path) { waits += 1 } }
        #expect(waits == 500)
        close(other)
    }

    @Test("one at a time; and a lock file deleted meanwhile is not mistaken for the lock")
    func exclusive() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/s"
        do {
            let first = try SocketLock(for: path)
            #expect(throws: SocketError.inUse(path: path)) { _ = try SocketLock(for: path) }
            first.removeFile()
            let second = try SocketLock(for: path)
            #expect(directory.contents == ["s.lock"])
            second.removeFile()
        }
        _ = try SocketLock(for: path)
    }

    @Test("of threads that take it, delete its file and let go, never two hold it")
    func contention() throws {
        let directory = try TemporaryDirectory()
        let (holders, most, taken) = (Shared(0), Shared(0), Shared(0))
        let threads = (0..<3).map { number in
            let thread = LoopThread()
            thread.start(name: "taker \(number)") { [path = "\(directory.path)/s"] in
                while taken() < 2000 {
                    guard let lock = try? SocketLock(for: path) else { continue }
                    let now = holders.change {
                        $0 += 1; return $0
                    }
                    most.change { $0 = max($0, now) }
                    taken.change { $0 += 1 }
                    sched_yield()
                    holders.change { $0 -= 1 }
                    lock.removeFile()
                }
            }
            return thread
        }
        for thread in threads { thread.join() }
        #expect(most() == 1)
    }
}
