/// The grounds of the rights of clients on a stream: what these follow from.
public struct StreamGrounds: Sendable {
    /// The name of the stream.
    public let name: String
    /// See `HostedStream.access`.
    public let access: Access?
    /// See `HostedStream.related`.
    public let related: Set<String>
    /// See `HostedStream.readsMachine`.
    public let readsMachine: Bool
    /// Whether the stream is no longer configured. Then what it was related to may be gone, too.
    public let isFormer: Bool

    /// What the rights on a stream follow from.
    public init(_ stream: any HostedStream, isFormer: Bool = false) {
        name = stream.name
        access = stream.access
        related = stream.related
        readsMachine = stream.readsMachine
        self.isFormer = isFormer
    }
}
