internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords

/// When actions start next, and what streams have given to them lately, as one client may see it. Made on the loop, and
/// read on any thread, because the next times of a schedule take long to find.
struct ActionTimes: Sendable {
    /// Times in a description.
    private static let mostTimes = 5
    /// Firings in a description: as many as each `on` keeps.
    private static let mostFirings = 20

    /// What it takes to find the next slot of a stream, and to look at a scheduled execution, as `writeAnswer` counts.
    private static let (workOfStream, workOfExecution) = (256, 16)

    private let host: Host
    private let mayRead: Client.ExecutionCheck
    /// The streams that the client may read, and whether it may see their elements.
    private let streams: [(stream: any HostedStream, showsElements: Bool)]

    /// - Parameter action: the name of the only action that is of interest; nil for all.
    init(of host: Host, for client: Client, action: String? = nil) {
        self.host = host
        mayRead = client.checking(.read)
        var rights = StreamRights(client: client)
        streams = Self.streams(of: host, for: action).compactMap { stream in
            let allowed = rights.all(on: stream)
            return allowed.contains(.read) ? (stream, allowed.contains(.subscribe)) : nil
        }
    }

    private static func streams(of host: Host, for action: String?) -> [any HostedStream] {
        let all = Array(host.streams.values)
        guard let action else { return all }
        return all.filter { $0.targets.contains(action) }
    }

    /// What it takes to find the next times of all actions, as `writeAnswer` counts.
    static func work(in host: Host) -> Int {
        host.streams.count * workOfStream + host.scheduledCount * workOfExecution
    }

    /// What it takes to find the details of one action, as `writeAnswer` counts.
    static func work(in host: Host, of action: String) -> Int {
        streams(of: host, for: action).count * StreamDescribe.bytes + host.scheduledCount * workOfExecution
    }

    /// The next times of actions in milliseconds since 1970, as far as they are known, by the names of the actions.
    func next() -> [String: Int64] {
        var next = host.scheduledTimes
        for (stream, _) in streams {
            guard let time = stream.nextTimes(1).first else { continue }
            for target in stream.targets { next[target] = min(next[target] ?? time, time) }
        }
        return next
    }

    /// The next times of one action, and its last firings.
    func details(of action: HostedAction) -> Details {
        let scheduled = host.scheduled(of: action).lazy.filter { mayRead($0.execution) }.prefix(Self.mostTimes)
        var times: [Details.Time] = scheduled.map {
            Details.Time(time: $0.dueAt, key: "execution", name: "\($0.execution.id)")
        }
        var firings: [(time: String, firing: JSONValue)] = []
        for (stream, showsElements) in streams where stream.targets.contains(action.name) {
            times += stream.nextTimes(Self.mostTimes).map { Details.Time(time: $0, key: "stream", name: stream.name) }
            guard showsElements else { continue }
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
