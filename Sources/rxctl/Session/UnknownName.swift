internal import RxClient
internal import RxJSON
internal import RxProtocol
internal import RxStreams

/// What a name can belong to.
enum NamedKind: String, CaseIterable {
    case action, reactor, stream

    /// The kind that a method is about; nil for other methods.
    init?(_ method: Method) {
        guard let kind = Self.allCases.first(where: { method.rawValue.hasPrefix($0.rawValue + ".") }) else {
            return nil
        }
        self = kind
    }

    var list: Method {
        switch self {
        case .action: .actionList
        case .reactor: .reactorList
        case .stream: .streamList
        }
    }

    func names(_ result: JSONValue) -> [String] {
        (result["\(rawValue)s"]?.array ?? []).compactMap { $0[rawValue]?.string }
    }
}

/// A name that the daemon does not know: the error of the command, with the nearest names of each kind.
struct UnknownName {
    private let name: String
    private let kinds: [NamedKind]
    private let others: [String]

    /// - Parameters:
    ///   - kinds: those that it was looked for in.
    ///   - others: what else it could have been.
    init(_ name: String, kinds: [NamedKind], others: [String] = []) {
        self.name = name
        self.kinds = kinds
        self.others = others
    }

    /// Asks for the names that there are, and ends the command.
    func finish(_ session: DaemonSession) { finish(session, kinds[...], near: []) }

    private func finish(_ session: DaemonSession, _ left: ArraySlice<NamedKind>, near: [String]) {
        guard let kind = left.first else {
            return session.finish(
                Ending(
                    outcome: .error(.notFound), message: .text(message(near: near)),
                    facts: ["name": .string(ErrorCode.notFound.name)]))
        }
        session.link.call(kind.list, nil) { reply in
            var near = near
            if case .success(let result) = reply, let name = nearest(to: name, among: kind.names(result.value())) {
                near.append(name)
            }
            finish(session, left.dropFirst(), near: near)
        }
    }

    /// `no such action or stream: bakcup; did you mean "backup" or "backup@1"?`
    func message(near: [String]) -> String {
        let words = kinds.map(\.rawValue) + others
        let kinds =
            words.count > 2
            ? "\(words.dropLast().joined(separator: ", ")), or \(words.last ?? "")" : words.joined(separator: " or ")
        let meant = near.map { "\"\($0)\"" }.joined(separator: " or ")
        return "no such \(kinds): \(name)" + (near.isEmpty ? "" : "; did you mean \(meant)?")
    }
}
