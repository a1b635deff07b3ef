import Glibc
import Testing

/// A peer over a real socket, without any code of ours.
final class SocketPeer: TestPeer {
    private var descriptor: Int32
    /// Bytes of a `trySend` that are on their way.
    private var partial = 0
    private var received: [UInt8] = []
    private var hasEnded = false
    private var cannotSend = false

    /// - Parameter patience: how long it sends to a daemon that reads no more, in microseconds: a test must not wait
    ///   for good.
    init(path: String, patience: Int = 10_000_000) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        var most = timeval(tv_sec: patience / 1_000_000, tv_usec: patience % 1_000_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &most, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(connected == 0)
    }

    deinit { vanish() }

    /// Nothing to do: this peer reads only when a line is taken.
    func stall() {}

    func resume() {}

    func vanish() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
        hasEnded = true
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, !cannotSend {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else {
                cannotSend = true
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    func nextLine() async -> String? {
        _ = await eventually {
            read()
            return hasEnded || received.contains(UInt8(ascii: "\n"))
        }
        guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
    }

    var unread: [String] {
        read()
        return received.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    var isAtEnd: Bool { hasEnded && received.isEmpty }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !hasEnded {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                received.append(contentsOf: buffer[..<count])
            } else {
                hasEnded = count == 0 || errno != EAGAIN
                return
            }
        }
    }
}

extension SocketPeer {
    /// - Returns: the number of bytes that the kernel took; negative if it took none.
    func trySome(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    /// Sends all of `bytes`, or nothing, or remembers where it had to stop.
    ///
    /// - Returns: whether all of it is sent.
    func trySend(_ bytes: [UInt8]) -> Bool {
        let rest = bytes.dropFirst(partial)
        let count = rest.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        guard count > 0 else { return false }
        partial += count
        guard partial == bytes.count else { return false }
        partial = 0
        return true
    }
}
