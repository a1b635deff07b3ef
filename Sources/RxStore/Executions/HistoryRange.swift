internal import RxAction
internal import RxRecords

/// The ids from `lower` up to, but not including, `upper`, as texts in SQLite's order.
struct HistoryRange {
    private(set) var lower = ""
    // All ids are hexadecimal digits and dashes, and so before this.
    private(set) var upper = "g"

    init(_ selection: ExecutionSelection) {
        if let since = selection.since { lower = Self.text(at: since) }
        if let until = selection.until { upper = Self.text(at: until) }
        if let after = selection.after { lower = max(lower, Self.text(after: after)) }
        if let before = selection.before { upper = min(upper, before.description) }
    }

    /// Leaves out what comes after `last` in this order.
    mutating func end(with last: ExecutionID, _ order: ExecutionOrder) {
        switch order {
        case .newestFirst: lower = max(lower, last.description)
        case .oldestFirst: upper = min(upper, Self.text(after: last))
        }
    }

    /// Comes right after the id: all ids have one length.
    private static func text(after id: ExecutionID) -> String { id.description + "!" }

    /// Comes right before the ids that were made in this millisecond.
    private static func text(at milliseconds: Int64) -> String {
        guard milliseconds < 1 << 48 else { return "g" }
        let digits = String(max(milliseconds, 0), radix: 16)
        let text = String(repeating: "0", count: 12 - digits.count) + digits
        return "\(text.prefix(8))-\(text.suffix(4))"
    }
}
