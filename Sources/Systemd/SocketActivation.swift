import CSystemd
import Glibc

/// A socket that systemd opened for this process. The process owns it and must close it; exec closes it in children.
public struct InheritedSocket: Sendable, Hashable {
    /// The descriptor of the socket.
    public let fileDescriptor: Int32
    /// `FileDescriptorName=` of the socket unit, or else the unit's name (`rxd.socket`), or `unknown`.
    public let name: String

    /// Creates a description of an open socket.
    public init(fileDescriptor: Int32, name: String) {
        self.fileDescriptor = fileDescriptor
        self.name = name
    }
}

/// Takes over the sockets that systemd passes to a process.
public enum SocketActivation {
    /// Returns the sockets in `LISTEN_FDS` if `LISTEN_PID` names this process, and sets close-on-exec on them. Removes
    /// the variables in any case.
    public static func inherit() -> [InheritedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        defer { free(names) }
        guard count > 0 else { return [] }
        return (0..<count).map { index in
            let name = names?[Int(index)]
            defer { free(name) }
            return InheritedSocket(
                fileDescriptor: SD_LISTEN_FDS_START + index, name: name.map { String(cString: $0) } ?? "unknown")
        }
    }
}
