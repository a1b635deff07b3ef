public import RxJSON

/// A link in a chain of causes: who or what requested something.
public enum Origin: Sendable, Hashable {
    /// A process at the other end of a socket.
    case peer(uid: UInt32, gid: UInt32, pid: Int32)
    /// A rule of a reactor.
    ///
    /// - Parameters:
    ///   - reactor: the name of the reactor.
    ///   - rule: the index of the rule in the reactor's `mutate`, from 0.
    case rule(reactor: String, rule: Int)
    /// A trigger of the configuration.
    case trigger(String)
    /// The program that embeds the host.
    case host
    /// A link of a kind without a case of its own, as the object that stands for it in records. Programs that embed the
    /// host may use it, and so may a later version that wrote the database. Nobody's rights follow from it.
    case other(JSONObject)

    /// The user of a peer; nil for every other link.
    public var uid: UInt32? {
        switch self {
        case .peer(let uid, _, _): uid
        case .rule, .trigger, .host, .other: nil
        }
    }
}

extension Origin: CustomStringConvertible {
    /// The link in a few words, for logs.
    public var description: String {
        switch self {
        case .peer(let uid, _, let pid): "uid \(uid), pid \(pid)"
        case .rule(let reactor, let rule): "mutate[\(rule)] of the reactor \(reactor)"
        case .trigger(let name): "the trigger \(name)"
        case .host: "the host"
        case .other(let object): RawJSON(.object(object)).text
        }
    }
}
