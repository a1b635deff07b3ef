/// What a client may see of a stream's structure.
public struct StreamView {
    /// Whether the client may know what the configuration has in the stream: paths, expressions, and programs. If not,
    /// it sees the sources' keys, the operators, and the visible names.
    public var showsTexts: Bool
    /// Whether the client may know the action, reactor, or stream with this name.
    public var shows: (_ name: String) -> Bool

    /// A view; without arguments, of everything.
    public init(showsTexts: Bool = true, shows: @escaping (_ name: String) -> Bool = { _ in true }) {
        self.showsTexts = showsTexts
        self.shows = shows
    }
}
