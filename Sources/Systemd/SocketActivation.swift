import CSystemd
import Glibc

/// A socket that systemd opened for this process. It is ours to close, and closed in children by exec.
public struct InheritedSocket: Sendable, Hashable {
    public let fileDescriptor: Int32
    /// `FileDescriptorName=` of the socket unit, else the unit's name (`rxd.socket`), or `unknown`.
    public let name: String

    public init(fileDescriptor: Int32, name: String) {
        self.fileDescriptor = fileDescriptor
        self.name = name
    }
}

public enum SocketActivation {
    /// The sockets announced by `LISTEN_FDS`, if `LISTEN_PID` names this process: close-on-exec is set on each of them.
    /// The variables are removed in any case.
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
