internal import RxJSON

/// Everything as it is at one moment.
struct TopSnapshot {
    /// In milliseconds since 1970.
    var time: Int64
    var daemon: TopDaemon?
    /// Actions, reactors, and streams, each sorted by name.
    var items: [TopItem]

    init(time: Int64, daemon: TopDaemon? = nil, items: [TopItem] = []) {
        self.time = time
        self.daemon = daemon
        self.items = items
    }
}

/// The daemon's own figures.
struct TopDaemon: Equatable {
    let version: String
    /// In milliseconds since 1970.
    let startedAt: Int64
    /// Processor time since the start, in milliseconds.
    let processor: Int64?
    /// Bytes.
    let memory: Int?

    /// - Parameter status: a `Status`.
    init(_ status: JSONValue) {
        version = status.text("version")
        startedAt = WireTime.milliseconds(status.text("startedAt")) ?? 0
        processor = status["processorMilliseconds"]?.int.map { Int64($0) }
        memory = status["residentBytes"]?.int
    }
}
