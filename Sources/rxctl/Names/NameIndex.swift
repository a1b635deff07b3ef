internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol
internal import RxStreams

/// The names of everything that the daemon has and the client may read, by their kinds.
struct NameIndex {
    /// Longest wait for the names; an error is reported without them then.
    static let patience = Duration.seconds(1)

    private var names: [NamedKind: [String]] = [:]

    init(_ names: [NamedKind: [String]] = [:]) { self.names = names }

    /// What a name belongs to, or an id by its form; nil for a name that nothing has.
    func kind(of name: String) -> NamedKind? {
        // Names are unique across all kinds.
        NamedKind.allCases.first { names[$0]?.contains(name) == true }
            ?? (ExecutionArgument.id(name) == nil ? nil : .execution)
    }

    /// The nearest of all names.
    func nearest(to name: String) -> (name: String, kind: NamedKind)? {
        RxStreams.nearest(to: name, among: NamedKind.allCases.flatMap { names[$0] ?? [] }).flatMap { near in
            kind(of: near).map { (near, $0) }
        }
    }

    /// The nearest name of each of the kinds, in their order.
    func nearest(to name: String, among kinds: [NamedKind]) -> [(name: String, kind: NamedKind)] {
        kinds.compactMap { kind in
            RxStreams.nearest(to: name, among: names[kind] ?? []).map { ($0, kind) }
        }
    }
}

extension DaemonSession {
    /// Calls `body` once with all names; nil if the daemon does not list them in time.
    func readNames(_ body: @escaping (NameIndex?) -> Void) {
        var names: [NamedKind: [String]] = [:]
        var left = NamedKind.allCases.compactMap { kind in kind.list.map { (kind, $0) } }
        var body: ((NameIndex?) -> Void)? = body
        func answer(_ index: NameIndex?) {
            let once = body
            body = nil
            once?(index)
        }
        func next() {
            guard !left.isEmpty else { return answer(NameIndex(names)) }
            let (kind, method) = left.removeFirst()
            link.call(method, nil) { reply in
                // An older daemon has no streams.
                if case .success(let result) = reply { names[kind] = kind.names(result.value()) }
                next()
            }
        }
        next()
        schedule(after: NameIndex.patience) { answer(nil) }
    }
}

extension DaemonSession {
    /// Ends the command because of a name that is not where the command has looked for it.
    ///
    /// - Parameter message: the error if the name is one of those that the command takes.
    func finishUnknown(_ arguments: NameArguments, orElse message: String) {
        names = arguments
        finish(
            .refused(
                RPCError(.notFound, message: message) { writer in
                    writer.key(arguments.use.kinds[0].rawValue)
                    writer.string(arguments.names.first ?? "")
                }))
    }
}
