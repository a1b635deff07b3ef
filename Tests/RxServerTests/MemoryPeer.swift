import Rx
import RxJSON
import RxLoop

@testable import RxServer

/// A peer without a socket: a transport that takes everything, and lines given to the connection directly.
// Unchecked: `connection` is set and used on the loop alone; the rest is behind a lock.
final class MemoryPeer: TestPeer, Transport, @unchecked Sendable {
    private struct State {
        var received: [UInt8] = []
        var isClosed = false
        var isStalled = false
        var mostPerWrite = Int.max
        var writes = 0
    }

    private let server: Server
    private let loop: EventLoop
    private let state = Locked(State())
    private var connection: Connection?
    private var half: [UInt8] = []
    private var isPaused = false
    private var hasEnded = false
    var wantsWritable = false {
        didSet {
            if wantsWritable { loop.execute { [self] in becomeWritable() } }
        }
    }

    init(server: Server, loop: EventLoop) {
        self.server = server
        self.loop = loop
    }

    func connect(uid: UInt32) {
        connect(Peer(uid: uid, gid: uid, pid: 4242, groups: []))
    }

    func connect(_ peer: Peer) {
        loop.execute { [self] in
            connection = server.accept(self, peer: peer)
        }
    }

    // MARK: The test's side

    /// Lines reach the connection as the socket's framing would give them.
    func send(_ bytes: [UInt8]) {
        loop.execute { [self] in
            half.append(contentsOf: bytes)
            deliverLines()
        }
    }

    /// Delivers the lines that came, until the connection pauses.
    private func deliverLines() {
        while !isPaused, let end = half.firstIndex(of: UInt8(ascii: "\n")) {
            let line = half[..<end]
            half.removeSubrange(...end)
            deliver(line)
        }
        guard hasEnded, !isPaused else { return }
        hasEnded = false
        if !half.isEmpty { deliver(half[...]) }
        half = []
        connection?.receiveEnd()
    }

    /// On the loop: a line comes in this very turn.
    func receiveNow(_ line: String) {
        deliver(Array(line.utf8)[...])
    }

    private func deliver(_ line: ArraySlice<UInt8>) {
        var line = line
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard !line.isEmpty else { return }
        let padded = Array(line) + [UInt8](repeating: 0, count: 64)
        padded.withUnsafeBytes { connection?.receive(UnsafeRawBufferPointer(rebasing: $0[..<line.count])) }
    }

    func endInput() {
        loop.execute { [self] in
            hasEnded = true
            deliverLines()
        }
    }

    func stall() {
        state.withLock { $0.isStalled = true }
    }

    /// Takes at most so many bytes at a time, as a socket does that is nearly full.
    func take(atMost bytes: Int) {
        state.withLock { $0.mostPerWrite = bytes }
    }

    func resume() {
        state.withLock { $0.isStalled = false }
        loop.execute { [self] in becomeWritable() }
    }

    /// Takes at most `bytes` of the waiting bytes, once. On the loop.
    func takeOnce(atMost bytes: Int) {
        state.withLock { state in
            state.isStalled = false
            state.mostPerWrite = bytes
        }
        connection?.becomeWritable()
        state.withLock { state in
            state.isStalled = true
            state.mostPerWrite = .max
        }
    }

    func vanish() {
        loop.execute { [self] in close() }
    }

    /// As epoll does it: again in every turn while the connection wants to write.
    private func becomeWritable() {
        connection?.becomeWritable()
        if wantsWritable, !state.withLock({ $0.isStalled }) { loop.execute { [self] in becomeWritable() } }
    }

    func nextLine() async -> String? {
        _ = await eventually { state.withLock { $0.isClosed || $0.received.contains(UInt8(ascii: "\n")) } }
        return state.withLock { state in
            guard let end = state.received.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { state.received.removeSubrange(...end) }
            return String(decoding: state.received[..<end], as: UTF8.self)
        }
    }

    /// All complete lines that have arrived, for tests that read many.
    func takeLines() -> [String] {
        let taken = state.withLock { state -> [UInt8] in
            guard let end = state.received.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
            defer { state.received.removeSubrange(...end) }
            return Array(state.received[...end])
        }
        return taken.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    var unread: [String] {
        state.withLock { state in
            state.received.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// How often the connection has written.
    var writes: Int { state.withLock { $0.writes } }

    var isAtEnd: Bool { state.withLock { $0.isClosed && $0.received.isEmpty } }

    // MARK: Transport

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        state.withLock { state in
            state.writes += 1
            guard !state.isStalled, !state.isClosed else { return 0 }
            let taken = bytes.prefix(state.mostPerWrite)
            state.received.append(contentsOf: taken)
            return taken.count
        }
    }

    func pauseReading() { isPaused = true }

    func resumeReading() {
        isPaused = false
        loop.execute { [self] in deliverLines() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        connection?.didClose()
        connection = nil
    }
}
