/// The directories of a daemon, which `server.status` reports to programs that work there without it.
public struct DaemonDirectories: Sendable {
    /// The absolute path of the configuration; nil without one.
    public var configuration: String?
    /// The absolute path of the state; nil without one.
    public var state: String?

    /// - Parameters:
    ///   - configuration: the absolute path of the configuration; nil without one.
    ///   - state: the absolute path of the state; nil without one.
    public init(configuration: String? = nil, state: String? = nil) {
        self.configuration = configuration
        self.state = state
    }
}
