internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords

/// When actions start next, and what streams have given to them lately, as one client may see it.
struct ActionTimes {
    /// Times in a description.
    private static let mostTimes = 5
    /// Firings in a description: as many as each `on` keeps.
    private static let mostFirings = 20

    private let client: Client
    private let host: Host
    /// In milliseconds since 1970, by the names of the actions.
    private let next: [String: Int64]

    init(of host: Host, for client: Client) {
        self.host = host
        self.client = client
        var next = host.scheduledTimes
        var rights = StreamRights(client: client)
        for stream in host.streams.values where rights.all(on: stream).contains(.read) {
            guard let time = stream.nextTimes(1).first else { continue }
            for target in stream.targets { next[target] = min(next[target] ?? time, time) }
        }
        self.next = next
    }

    /// The next time of an action in milliseconds since 1970; nil if none is known.
    func next(of action: String) -> Int64? { next[action] }

    /// The next times of one action, and its last firings.
    func details(of action: HostedAction) -> Details {
        let scheduled = host.scheduled(of: action).lazy.filter { [client] in client.mayRead($0.execution) }
        var times: [Details.Time] = scheduled.prefix(Self.mostTimes).map {
            Details.Time(time: $0.dueAt, key: "execution", name: "\($0.execution.id)")
        }
        var firings: [(time: String, firing: JSONValue)] = []
        var rights = StreamRights(client: client)
        for stream in host.streams.values where stream.targets.contains(action.name) {
            let allowed = rights.all(on: stream)
            guard allowed.contains(.read) else { continue }
            times += stream.nextTimes(Self.mostTimes).map { Details.Time(time: $0, key: "stream", name: stream.name) }
            guard allowed.contains(.subscribe) else { continue }
            for firing in stream.details["firings"]?.array ?? [] where firing["target"]?.string == action.name {
                guard var object = firing.object else { continue }
                object["stream"] = .string(stream.name)
                firings.append((object["time"]?.string ?? "", .object(object)))
            }
        }
        times.sort { ($0.time, $0.name) < ($1.time, $1.name) }
        firings.sort { $0.time < $1.time }
        return Details(
            times: Array(times.prefix(Self.mostTimes)), firings: firings.suffix(Self.mostFirings).map(\.firing))
    }

    struct Details {
        struct Time {
            let time: Int64
            let key: StaticString
            let name: String
        }

        let times: [Time]
        let firings: [JSONValue]

        /// Writes the fields `upcoming` and `firings` into an object that has begun.
        func write(to writer: inout JSONWriter) {
            writer.array("upcoming") { writer in
                for time in times {
                    writer.object { writer in
                        writer.key("time")
                        writer.time(time.time)
                        writer.field(time.key, time.name)
                    }
                }
            }
            writer.key("firings")
            writer.value(.array(firings))
        }
    }
}
