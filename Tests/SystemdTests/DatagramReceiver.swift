import Glibc

/// The receiving end: a manager's notify socket, or a journal. Reading never waits, as a datagram is there once it was
/// sent.
final class DatagramReceiver: Sendable {
    let path: String
    private let descriptor: Int32

    /// Listens at a name of its own in the abstract namespace, or at a path for temporary files, or at the name of
    /// another that is gone, as a journal does that was started anew.
    init(name: String = "@" + uniqueName) {
        path = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        bind()
    }

    deinit {
        close(descriptor)
        if path.hasPrefix("/") { unlink(path) }
    }

    static var uniqueName: String { "rxd-test-\(getpid())-\(UInt64.random(in: 0 ... .max))" }

    private func bind() {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { space in
            space.copyBytes(from: path.utf8)
            if path.hasPrefix("@") { space[0] = 0 }
        }
        let length = socklen_t(2 + path.utf8.count + (path.hasPrefix("@") ? 0 : 1))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, length) }
        }
        precondition(result == 0, "cannot bind \(path): \(errno)")
    }

    /// The next datagram, or nil. One that carries a descriptor stands for the file behind it.
    func next() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 300_000)
        var control = [UInt8](repeating: 0, count: 64)
        let (count, passed): (Int, Int32?) = bytes.withUnsafeMutableBytes { space in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: space.baseAddress, iov_len: space.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(descriptor, &message, Int32(MSG_DONTWAIT))
                    let hasDescriptor = message.msg_controllen >= MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
                    let passed = control.loadUnaligned(fromByteOffset: MemoryLayout<cmsghdr>.size, as: Int32.self)
                    return (count, hasDescriptor ? passed : nil)
                }
            }
        }
        guard count >= 0 else { return nil }
        return passed.map(Self.contents(of:)) ?? Array(bytes[..<count])
    }

    func nextText() -> String? {
        next().map { String(decoding: $0, as: UTF8.self) }
    }

    private static func contents(of file: Int32) -> [UInt8] {
        defer { close(file) }
        var status = stat()
        fstat(file, &status)
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { space, count in
            count = max(0, pread(file, space.baseAddress, space.count, 0))
        }
    }
}
