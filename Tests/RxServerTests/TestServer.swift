import RxStore
import Dispatch
import Glibc
import Logging
import Rx
import RxAction
import RxHost
import RxJSON
import RxPlatform
import RxProtocol
import Testing
import RxLoop
import UnixSocket

@testable import RxServer

/// The time after which a test that waits for something gives up.
let patience = Duration.seconds(120)

/// Waits until `condition` holds, or for as long as a test may wait.
///
/// - Returns: whether it came to hold.
func eventually(within limit: Duration = patience, _ condition: () -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while !condition() {
        if clock.now > deadline { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}

/// A server on a loop of its own with the actions that transcripts speak of.
final class TestServer: Sendable {
    let loop: EventLoop
    let host: Host
    let server: Server
    let reloads: ReloadQueue?
    private let directory = Locked<String?>(nil)
    private let listener = Locked<LoopConfined<Listener>?>(nil)
    private let stopping = Locked(Stopping.notYet)

    /// `echo`, `fail`, and `ticks`; `hold`, which executes until it is canceled; `line`, `newest`, and `shared`, which
    /// do the same with another overlap; `shared` and `tell` emit one element first; `count` emits the numbers below
    /// its input at once.
    static let definitions: [ActionDefinition] = [
        Builtin.echo.definition(name: "echo", summary: "Answers its input."),
        Builtin.fail.definition(name: "fail"),
        Builtin.ticks.definition(name: "ticks"),
        ActionDefinition(name: "hold", kind: "test", fingerprint: "hold") { _ in .never() },
        ActionDefinition(
            name: "brief", kind: "test", timeout: .milliseconds(50), fingerprint: "brief"
        ) { _ in .never() },
        ActionDefinition(name: "line", kind: "test", overlap: .queue(limit: 1), fingerprint: "line") { _ in .never() },
        ActionDefinition(name: "newest", kind: "test", overlap: .latest, fingerprint: "newest") { _ in .never() },
        ActionDefinition(name: "shared", kind: "test", overlap: .join, fingerprint: "shared") { _ in one },
        ActionDefinition(name: "tell", kind: "test", fingerprint: "tell") { _ in one },
        ActionDefinition(name: "count", kind: "test", scheduler: .inline, fingerprint: "count") { invocation in
            .from((0..<(invocation.input.value().int ?? 0)).map { RawJSON(unchecked: Array("\($0)".utf8)) })
        },
    ]

    /// One element, and no end.
    private static let one = Observable<RawJSON>.never().startWith(RawJSON("one"))

    init(
        definitions: [ActionDefinition] = TestServer.definitions,
        reactors: [ReactorDefinition] = TestServer.reactors, streams: [TestStream] = [], limits: Limits = Limits(),
        owner: UInt32 = getuid(), managers: Access = Access(), store: ExecutionStore? = nil,
        stateStore: StateStore? = nil, logger: Logger? = nil,
        catchUp: CatchUpLimits = CatchUpLimits(), platform: Platform = .system, patience: Duration = .seconds(3600),
        onReload: ReloadQueue.Reload? = nil
    ) throws {
        loop = try EventLoop()
        host = Host(
            definitions, reactors: reactors, store: store, stateStore: stateStore, catchUp: catchUp,
            platform: platform)
        try host.startReactors()
        reloads = onReload.map { [host] in ReloadQueue(on: host.platform.queues.serial("test.reload"), $0) }
        var silent = Logger(label: "test")
        silent.logLevel = .critical
        server = Server(
            host: host, loop: loop, limits: limits, rights: Rights(owner: owner, server: managers),
            logger: logger ?? silent,
            // By default, patience ends when a test ends it, however busy the machine is.
            patience: patience, reloads: reloads)
        if !streams.isEmpty { setStreams(streams) }
        loop.start(name: "test.loop")
    }

    /// Runs `body` on the loop and waits for its result.
    func onLoop<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body()) }
        }
    }

    func connectInMemory(uid: UInt32 = getuid()) -> MemoryPeer {
        let peer = MemoryPeer(server: server, loop: loop)
        peer.connect(uid: uid)
        return peer
    }

    /// Connects a peer that takes nothing.
    func connectStalled(uid: UInt32) -> MemoryPeer {
        let peer = MemoryPeer(server: server, loop: loop)
        peer.stall()
        peer.connect(uid: uid)
        return peer
    }

    func connectInMemory(_ credentials: Peer) -> MemoryPeer {
        let peer = MemoryPeer(server: server, loop: loop)
        peer.connect(credentials)
        return peer
    }

    /// Listens in a private directory of its own.
    func listen() async throws -> String {
        var template = Array("/tmp/rxd-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        try #require(made)
        let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        directory.withLock { $0 = path }
        try await onLoop { [self] in
            Result {
                let listener = try Listener(binding: path + "/rxd.sock", loop: loop)
                listener.onAccept = { [server] in server.accept($0) }
                self.listener.withLock { $0 = LoopConfined(listener) }
            }
        }.get()
        return path + "/rxd.sock"
    }

    /// Stops the host and then the server, as the daemon does.
    func beginStopping() {
        loop.execute { [self] in
            guard stopping.withLock({ $0.begin() }) else { return }
            listener.withLock { $0?.value.close(unlink: true) }
            host.stop { [self] in
                loop.execute { [self] in
                    server.stop { [self] in stopping.withLock { $0 = .done } }
                }
            }
        }
    }

    /// A server that cannot stop, because its loop is stuck or a connection stays open, is a fault and no reason to
    /// hang.
    func stop(sourceLocation: SourceLocation = #_sourceLocation) async {
        beginStopping()
        guard await eventually({ stopping.withLock { $0 == .done } }) else {
            Issue.record("the server has not stopped", sourceLocation: sourceLocation)
            return
        }
        loop.stop()
        loop.join()
        if let directory = directory.withLock({ $0 }) { rmdir(directory) }
    }

    private enum Stopping {
        case notYet, begun, done

        /// - Returns: whether it had not begun before.
        mutating func begin() -> Bool {
            guard self == .notYet else { return false }
            self = .begun
            return true
        }
    }
}

/// The client's end of a connection in a test.
protocol TestPeer: AnyObject {
    func send(_ bytes: [UInt8])
    func endInput()
    /// Takes nothing more until `resume`.
    func stall()
    func resume()
    /// Is gone without a word.
    func vanish()
    /// The next line, or nil if none comes in time or the connection has ended.
    func nextLine() async -> String?
    /// Lines that have come and that nobody took.
    var unread: [String] { get }
    /// Whether the server has closed the connection and all lines are taken.
    var isAtEnd: Bool { get }
}

extension TestPeer {
    func send(_ line: String) { send(Array((line + "\n").utf8)) }

    func nextValue() async throws -> JSONValue {
        let line = try #require(await nextLine())
        return try RawJSON(validating: line).value()
    }
}

extension TestServer {
    /// Asked from outside of the loop, and so a moment old.
    var connectionCount: Int {
        let count = Locked<Int?>(nil)
        loop.execute { [self] in count.withLock { $0 = server.sessions.all.count } }
        while true {
            if let count = count.withLock({ $0 }) { return count }
            sched_yield()
        }
    }
}
