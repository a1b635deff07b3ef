internal import RxJSON

/// An action, a reactor, or a stream, as a row of `top` shows it.
struct TopItem: Equatable {
    enum Kind: String {
        case action, reactor, stream
    }

    /// What it does now.
    enum Level: Equatable {
        case executing
        /// What is in flight goes on, but no input is taken, and why.
        case finishing(String)
        case enabled
        /// A stream whose sources are at work.
        case running
        /// A stream that waits, and why.
        case waiting(String)
        /// Not enabled, and why.
        case disabled(String)
        /// A stream that has ended.
        case ended
        /// A reactor, by its revision.
        case revision(Int)
        /// In the past, which the log does not have.
        case unknown
    }

    let kind: Kind
    let name: String
    var level: Level
    /// Whether somebody has switched it off, so that it can be switched on.
    var isSwitchedOff = false
    /// Executions in flight; nil if it has none by its nature.
    var inFlight: Int?
    /// Inputs that wait for their turn; nil if it has none by its nature.
    var queued: Int?
    /// When it starts next, in milliseconds since 1970.
    var next: Int64?
    /// When the executions in flight started, in milliseconds since 1970, as far as the daemon reports it.
    var since: [Int64] = []
    /// The last ends, oldest first; nil if they are not known.
    var ends: [TopEnd]?
    /// What a stream starts.
    var targets: [String] = []

    init(_ kind: Kind, _ name: String, _ level: Level) {
        self.kind = kind
        self.name = name
        self.level = level
    }

    /// - Parameter action: an `ActionNow`.
    init(action: JSONValue) {
        let inFlight = action["inFlight"]?.int ?? 0
        let reason = action["reason"] ?? .null
        let isDisabled = action["enabled"]?.bool == false
        let level: Level =
            inFlight > 0
            ? isDisabled && reason["cause"]?.string != "executing" ? .finishing(Self.cause(reason)) : .executing
            : isDisabled ? .disabled(Self.cause(reason)) : .enabled
        self.init(.action, action.text("action"), level)
        isSwitchedOff = reason["cause"]?.string == "manual"
        self.inFlight = inFlight
        queued = action["queued"]?.int ?? 0
        next = WireTime.milliseconds(action.text("next"))
        since = (action["since"]?.array ?? []).compactMap { $0.string.flatMap { WireTime.milliseconds($0) } }
        ends = action["ends"]?.array?.compactMap { TopEnd($0) }
    }

    /// - Parameter reactor: a `Reactor`.
    init(reactor: JSONValue) {
        self.init(.reactor, reactor.text("reactor"), .revision(reactor["revision"]?.int ?? 0))
    }

    /// - Parameter stream: a `Stream`.
    init(stream: JSONValue) {
        let reason = stream.text("reason")
        let level: Level =
            switch stream.text("state") {
            case "waiting": .waiting(reason)
            case "disabled": .disabled(reason)
            case "ended": .ended
            case _: .running
            }
        self.init(.stream, stream.text("stream"), level)
        if case .disabled = level { isSwitchedOff = true }
        next = WireTime.milliseconds(stream.text("next"))
        targets = (stream["targets"]?.array ?? []).compactMap(\.string)
    }

    /// Unique among all items.
    var id: String { "\(kind.rawValue) \(name)" }

    /// The most important words of a `Reason`: a column is narrow.
    private static func cause(_ reason: JSONValue) -> String {
        switch reason["cause"]?.string {
        case "manual": reason["reason"]?.string ?? "switched off"
        case "condition": reason["message"]?.string ?? reason["when"]?.string ?? reason["error"]?.string ?? "condition"
        case "stopping": "the daemon is stopping"
        case let cause: cause ?? ""
        }
    }
}
