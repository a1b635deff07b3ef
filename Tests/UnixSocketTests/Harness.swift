import Glibc
import Testing

@testable import RxLoop
@testable import UnixSocket

/// Writes down what a socket reports, in order, and lets a test act from within.
final class Recorder: SocketDelegate {
    enum Event: Equatable {
        case line(String)
        case tooLong
        case endInput
        case writable
        case close(SocketError?)
    }

    private(set) var events: [Event] = []
    var onLine: (Socket, String) -> Void = { _, _ in }
    var onWritable: () -> Void = {}
    var isWorking = false
    /// Long lines that have begun and not ended.
    private(set) var longLines = 0

    var lines: [String] {
        events.compactMap { if case .line(let text) = $0 { text } else { nil } }
    }

    func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer) {
        let text = String(decoding: line, as: UTF8.self)
        events.append(.line(text))
        onLine(socket, text)
    }

    func socketLineTooLong(_ socket: Socket) { events.append(.tooLong) }
    func socketBeganLongLine(_ socket: Socket) { longLines += 1 }
    func socketEndedLongLine(_ socket: Socket) { longLines -= 1 }
    func socketDidEndInput(_ socket: Socket) { events.append(.endInput) }
    func socketIsWorking(_ socket: Socket) -> Bool { isWorking }
    func socketDidBecomeWritable(_ socket: Socket) {
        events.append(.writable)
        onWritable()
    }
    func socketDidClose(_ socket: Socket, error: SocketError?) { events.append(.close(error)) }
}

/// The peer: a bare non-blocking descriptor.
final class Peer {
    private(set) var fd: Int32

    init(fd: Int32) { self.fd = fd }

    init(connectingTo path: String) throws {
        fd = try SocketPath.makeSocket()
        try #require(try SocketPath(path).connect(fd) == 0, "connecting to \(path)")
    }

    deinit { close() }

    /// How many bytes the kernel took.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        return Glibc.send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    @discardableResult
    func send(_ text: String) -> Int { send(Array(text.utf8)) }

    /// What there is to read now; nil at the end of input.
    func receive() -> [UInt8]? {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { return all.isEmpty ? nil : all }
            if count < 0 { return all }
            all += buffer[..<count]
        }
    }

    func endOutput() { shutdown(fd, Int32(SHUT_WR)) }
    func endInput() { shutdown(fd, Int32(SHUT_RD)) }

    func close() {
        if fd >= 0 { Glibc.close(fd) }
        fd = -1
    }
}

/// A connected socket on a loop that the test drives turn by turn, what it reports, and its other end.
struct Wire {
    let socket: Socket
    let fd: Int32
    let recorder = Recorder()
    let peer: Peer

    init(on loop: EventLoop) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        fd = ends[0]
        socket = try Socket(adopting: fd, loop: loop)
        peer = Peer(fd: ends[1])
        socket.delegate = recorder
    }
}

extension EventLoop {
    /// One turn on this thread, which does not wait.
    func turn() { turn(waitingAtMost: 0) }

    /// Whether the loop finds nothing to do for a few milliseconds, or for as long as it is to wait. It may be a busy
    /// machine that takes a short time.
    func sleeps(for milliseconds: UInt64 = 5) -> Bool {
        let start = SuspendingClock.now
        turn(waitingAtMost: milliseconds * 1_000_000)
        return SuspendingClock.now - start >= .milliseconds(Int(milliseconds))
    }

    /// Turns on this thread until `condition` holds; false when it does not within a minute.
    func turn(until condition: () -> Bool) -> Bool {
        let deadline = SuspendingClock.now + .seconds(60)
        while !condition() {
            guard SuspendingClock.now < deadline else { return false }
            turn(waitingAtMost: 1_000_000)
        }
        return true
    }
}

/// Polls from an async test without holding its thread.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
    let deadline = SuspendingClock.now + .seconds(60)
    while !condition() {
        guard SuspendingClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}

/// A private directory that goes with the test, with all files in it.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/unixsocket.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in contents { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The names in it, sorted.
    var contents: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

/// A value that threads of a test share.
final class Shared<Value>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func callAsFunction() -> Value { lock.withLock { value } }
    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
