import Glibc

/// A datagram socket for a Unix address, used to reach the service manager and the journal.
final class DatagramSocket: Sendable {
    let fileDescriptor: Int32
    private let address: sockaddr_un
    private let addressLength: socklen_t

    /// Creates a socket for `path`: absolute, or `@name` for the abstract namespace. Returns nil if it is neither,
    /// exceeds a `sockaddr_un`, or no socket is available. Nothing needs to listen there yet.
    init?(path: String) {
        guard let (address, length) = Self.address(of: path) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        fileDescriptor = descriptor
        self.address = address
        addressLength = length
    }

    deinit { close(fileDescriptor) }

    /// Connects the socket to its address, possibly again. Returns 0 or an errno.
    func connect() -> Int32 {
        withAddress { Glibc.connect(fileDescriptor, $0, addressLength) } < 0 ? errno : 0
    }

    /// Sends to the address, connected or not. Returns 0 or an errno.
    func send(_ text: String, flags: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            withAddress { address in
                sendto(
                    fileDescriptor, bytes.baseAddress, bytes.count, flags | Int32(MSG_NOSIGNAL), address,
                    addressLength)
            }
        } < 0 ? errno : 0
    }

    private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    private static func address(of path: String) -> (sockaddr_un, socklen_t)? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
        let bytes = Array(path.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        // A path ends with a NUL; an abstract name begins with one in place of the `@`.
        let length = isAbstract ? bytes.count : bytes.count + 1
        guard bytes.count > 1, isAbstract || bytes.first == UInt8(ascii: "/") else { return nil }
        guard length <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { space in
            space.copyBytes(from: bytes)
            if isAbstract { space[0] = 0 }
        }
        return (address, socklen_t(pathOffset + length))
    }
}
