internal import RxClient
internal import RxJSON
internal import RxProtocol

/// What a name, or an id, can belong to.
enum NamedKind: String, CaseIterable {
    case action, reactor, stream, execution

    /// `an action`
    var withArticle: String {
        switch self {
        case .action, .execution: "an \(rawValue)"
        case .reactor, .stream: "a \(rawValue)"
        }
    }

    /// The command that lists them.
    var listing: String {
        switch self {
        case .action: "rxctl list"
        case .reactor: "rxctl list --reactors"
        case .stream: "rxctl list --streams"
        case .execution: "rxctl history"
        }
    }

    /// The method that lists all names; nil for executions, which have ids.
    var list: Method? {
        switch self {
        case .action: .actionList
        case .reactor: .reactorList
        case .stream: .streamList
        case .execution: nil
        }
    }

    func names(_ result: JSONValue) -> [String] {
        (result["\(rawValue)s"]?.array ?? []).compactMap { $0[rawValue]?.string }
    }
}
