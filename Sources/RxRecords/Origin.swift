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
    /// A stream of the configuration.
    ///
    /// - Parameters:
    ///   - name: the name of the stream.
    ///   - scheduled: the slot, in UTC, if the stream's source is a schedule.
    case stream(String, scheduled: String? = nil)
    /// The program that embeds the host.
    case host
    /// A link of a kind without a case of its own, as the object that stands for it in records. Programs that embed the
    /// host may use it, and so may a later version that wrote the database. Nobody's rights follow from it.
    case other(JSONObject)

    /// Whether it is a stream.
    public var isStream: Bool {
        switch self {
        case .stream: true
        case .peer, .rule, .host, .other: false
        }
    }

    /// The user of a peer; nil for every other link.
    public var uid: UInt32? {
        switch self {
        case .peer(let uid, _, _): uid
        case .rule, .stream, .host, .other: nil
        }
    }
}

extension Origin: CustomStringConvertible {
    /// The link in a few words, for logs.
    public var description: String {
        switch self {
        case .peer(let uid, _, let pid): "uid \(uid), pid \(pid)"
        case .rule(let reactor, let rule): "mutate[\(rule)] of the reactor \(reactor)"
        case .stream(let name, _): "the stream \(name)"
        case .host: "the host"
        case .other(let object): RawJSON(.object(object)).text
        }
    }
}
