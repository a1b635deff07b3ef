internal import RxJSON

/// The end of an execution: a bar of `top`.
struct TopEnd: Equatable {
    enum State: String {
        case completed, failed, cancelled, timedOut, interrupted
    }

    /// As many as the daemon reports, and a row shows.
    static let most = 20

    let state: State
    /// Milliseconds since 1970; nil if the work had not started.
    let start: Int64?
    let end: Int64

    init(_ state: State, start: Int64?, end: Int64) {
        self.state = state
        self.start = start
        self.end = end
    }

    /// - Parameter record: an `ExecutionEnd`, or the record of an execution; nil if that has not ended.
    init?(_ record: JSONValue) {
        guard let state = State(rawValue: record.text("state")), let end = WireTime.milliseconds(record.text("endedAt"))
        else { return nil }
        self.init(state, start: WireTime.milliseconds(record.text("startedAt")), end: end)
    }

    /// How long the work took, in milliseconds; nil if it had not started.
    var duration: Int64? { start.map { max(0, end - $0) } }
}

extension [TopEnd] {
    /// The median of the durations, in milliseconds; nil if there are none.
    var median: Int64? {
        let durations = compactMap(\.duration).sorted()
        return durations.isEmpty ? nil : durations[(durations.count - 1) / 2]
    }
}
