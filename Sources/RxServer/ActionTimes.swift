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

    /// The next times of scheduled executions, in milliseconds since 1970, by action.
    private let scheduled: [String: Int64]
    /// The streams that the client may read, and whether it may see their elements.
    private let streams: [(stream: any HostedStream, showsElements: Bool)]

    init(of host: Host, for client: Client) {
        scheduled = host.scheduledTimes
        var rights = StreamRights(client: client)
        streams = host.streams.values.compactMap { stream in
            let allowed = rights.all(on: stream)
            return allowed.contains(.read) ? (stream, allowed.contains(.subscribe)) : nil
        }
    }

    /// The next times of actions in milliseconds since 1970, as far as they are known, by the names of the actions.
    func next() -> [String: Int64] {
        var next = scheduled
        for (stream, _) in streams {
            guard let time = stream.nextTimes(1).first else { continue }
            for target in stream.targets { next[target] = min(next[target] ?? time, time) }
        }
        return next
    }

    /// The next times of one action, and its last firings.
    ///
    /// - Parameter executions: the scheduled executions of the action that the client may see.
    func details(of action: String, _ executions: [ScheduledTime]) -> Details {
        var times = executions.map { Details.Time(time: $0.time, key: "execution", name: "\($0.id)") }
        var firings: [(time: String, firing: JSONValue)] = []
        for (stream, showsElements) in streams where stream.targets.contains(action) {
            times += stream.nextTimes(Self.mostTimes).map { Details.Time(time: $0, key: "stream", name: stream.name) }
            guard showsElements else { continue }
            for firing in stream.details["firings"]?.array ?? [] where firing["target"]?.string == action {
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

    /// A scheduled execution; the time in milliseconds since 1970.
    typealias ScheduledTime = (id: ExecutionID, time: Int64)

    /// The next scheduled executions of an action that the client may see. On the loop.
    static func executions(of action: HostedAction, in host: Host, for client: Client) -> [ScheduledTime] {
        host.scheduled(of: action).lazy.filter { client.mayRead($0.execution) }.prefix(mostTimes)
            .map { ($0.execution.id, $0.dueAt) }
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
