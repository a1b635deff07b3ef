/// What one client may see of a stream.
public struct StreamView: Sendable {
    /// Whether the client may know what the configuration has in the stream: paths, expressions, and programs. If not,
    /// it sees the sources' keys, the operators, and the visible names.
    public var showsTexts: Bool
    /// The actions, reactors, and streams that the client may know; nil for all.
    public var visible: Set<String>?

    /// A view; without arguments, of everything.
    public init(showsTexts: Bool = true, visible: Set<String>? = nil) {
        self.showsTexts = showsTexts
        self.visible = visible
    }

    /// Whether the client may know the action, reactor, or stream with this name.
    public func shows(_ name: String) -> Bool { visible?.contains(name) ?? true }
}
