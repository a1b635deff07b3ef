/// The origin of a request.
public enum Origin: Sendable, Hashable {
    /// A process at the other end of a socket.
    case peer(uid: UInt32, gid: UInt32, pid: Int32)
    /// A trigger of the configuration.
    case trigger(String)
    /// The program that embeds the host.
    case host
}
