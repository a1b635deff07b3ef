internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// How a `subscribe` wants its events: which channels, from where on, and what happens to more than the buffer holds.
struct SubscribeOptions {
    let channels: Channel.Set
    let start: EventStart
    /// The cursor in `start`, as the client wrote it.
    let cursor: String?
    /// Whether the subscription ends once it has caught up.
    let endsCaughtUp: Bool
    let buffer: Int
    let overflow: Overflow
    let wantsPatches: Bool

    init(
        _ parameters: Parameters, _ target: SubscribeTarget, limits: Limits, host: Host
    ) throws(RPCError) {
        channels = try Self.channels(parameters, target)
        start = try Self.start(parameters, host)
        cursor = parameters["from"]?["cursor"]?.string
        endsCaughtUp = try Self.endsCaughtUp(parameters)
        buffer = try parameters.optionalInt("buffer", in: 1...limits.buffer) ?? limits.buffer
        overflow = try Self.overflow(parameters)
        wantsPatches = try parameters.optionalBool("patch") ?? false
        if wantsPatches, target.subject != .reactor { throw parameters.fault("patch", "is for reactors") }
    }

    private static func channels(_ parameters: Parameters, _ target: SubscribeTarget) throws(RPCError) -> Channel.Set {
        let known: [Channel] =
            switch (target.source, target.subject) {
            case (.executions, _): [.elements, .errors, .executions]
            case (.named, .action): [.elements, .errors, .executing, .enabled, .executions]
            case (.named, .reactor): [.state, .errors]
            case (.named, .stream) where target.tap != nil: [.elements]
            case (.named, .stream): [.elements, .errors, .firings, .lag]
            }
        guard let names = try parameters.optionalStrings("channels") else {
            return Channel.Set(known.filter { $0 != .executions }.map { Channel.Set($0) })
        }
        var channels: Channel.Set = []
        for name in names {
            guard let channel = Channel(rawValue: name), known.contains(channel) else {
                let names = known.map(\.rawValue).joined(separator: ", ")
                throw parameters.fault("channels", "no such channel: \(name); there are \(names)")
            }
            channels.insert(Channel.Set(channel))
        }
        return channels
    }

    private static func endsCaughtUp(_ parameters: Parameters) throws(RPCError) -> Bool {
        guard let text = try parameters.optionalString("until") else { return false }
        guard text == "now" else { throw parameters.fault("until", "must be \"now\"") }
        return true
    }

    private static func overflow(_ parameters: Parameters) throws(RPCError) -> Overflow {
        guard let text = try parameters.optionalString("overflow") else { return .dropOldest }
        guard let overflow = Overflow(rawValue: text) else {
            let names = Overflow.allCases.map(\.rawValue).joined(separator: ", ")
            throw parameters.fault("overflow", "must be one of \(names)")
        }
        return overflow
    }

    private static func start(_ parameters: Parameters, _ host: Host) throws(RPCError) -> EventStart {
        let shape = """
            must be "now", "last", "start", "execution", {"cursor": CURSOR}, {"time": TIME} or {"execution": ID}
            """
        guard let from = parameters["from"] else { return .now }
        if let text = from.string {
            switch text {
            case "now": return .now
            case "last": return .last
            case "start": return .start
            case "execution": return .executing
            default: throw parameters.fault("from", shape)
            }
        }
        var members = 0
        from.forEachMember { _, _ in members += 1 }
        guard members == 1 else { throw parameters.fault("from", shape) }
        if let text = from["cursor"]?.string {
            let (epoch, number) = try cursor(text, parameters)
            return host.start(after: number, ofLog: epoch)
        }
        if let text = from["time"]?.string {
            guard let time = Timestamp(text) else {
                throw parameters.fault("from", "is not a valid time, such as 2026-11-21T01:02:03.123Z: \(text)")
            }
            return .time(time.milliseconds)
        }
        guard let text = from["execution"]?.string else { throw parameters.fault("from", shape) }
        guard let id = ExecutionID(text) else { throw .notFound("execution", text) }
        return .execution(id)
    }

    private static func cursor(
        _ text: String, _ parameters: Parameters
    ) throws(RPCError) -> (epoch: String, number: UInt64) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let number = UInt64(parts[1]), parts[1].first != "+" else {
            throw parameters.fault("from", "is not a valid cursor: \(text)")
        }
        return (String(parts[0]), number)
    }
}

extension EventStart {
    /// Whether events from before the snapshot may follow, besides the newest of each channel.
    var isPast: Bool {
        switch self {
        case .now, .last: false
        case .cursor, .cursorOfAnother, .start, .time, .execution, .executing: true
        }
    }
}
