internal import RxAction
internal import RxHost
internal import RxJSON

/// Keys that decide when and how often an action's work is done.
extension TableReader {
    /// Most inputs that wait, unless `limit` is set.
    static var defaultQueueLimit: Int { 100 }
    /// Most executions in flight, unless `limit` is set.
    static var defaultConcurrency: Int { 8 }
    /// Largest `limit`; each waiting input takes memory.
    private static var largestLimit: Int { 1_000_000 }

    /// `overlap` and `limit`; `defaults` unless `overlap` is set.
    mutating func overlap(defaults: Overlap) -> Overlap {
        let limitNode = node("limit")
        return limited(overlap() ?? defaults, limitNode)
    }

    /// `overlap` alone.
    mutating func overlap() -> Overlap? {
        switch choice("overlap", Overlap.Kind.self) {
        case .reject: .reject
        case .queue: .queue(limit: Self.defaultQueueLimit)
        case .concurrent: .concurrent(limit: Self.defaultConcurrency)
        case .latest: .latest
        case .join: .join
        case nil: nil
        }
    }

    private func limited(_ overlap: Overlap, _ limitNode: TOMLNode?) -> Overlap {
        guard let limitNode else { return overlap }
        guard case .integer(let limit) = limitNode.content else {
            fault("must be an integer, not \(limitNode.kind)", at: limitNode, key: "limit")
            return overlap
        }
        guard (1...Self.largestLimit).contains(limit) else {
            fault("must be from 1 to \(Self.largestLimit)", at: limitNode, key: "limit")
            return overlap
        }
        switch overlap {
        case .queue: return .queue(limit: limit)
        case .concurrent: return .concurrent(limit: limit)
        case .reject, .latest, .join:
            fault("needs overlap = \"queue\" or \"concurrent\"", at: limitNode, key: "limit")
            return overlap
        }
    }

    mutating func boolean(_ key: String) -> (value: Bool, node: TOMLNode)? {
        guard let node = node(key) else { return nil }
        guard case .boolean(let value) = node.content else {
            fault("must be true or false, not \(node.kind)", at: node, key: key)
            return nil
        }
        return (value, node)
    }

    /// `retry = { attempts, delay, backoff, max }` or `"none"`.
    mutating func retry() -> Choice<RetryPolicy>? {
        guard let node = node("retry") else { return nil }
        if case .string("none") = node.content { return Choice.none }
        guard case .table = node.content else {
            fault("must be a table such as { attempts = 3, delay = \"2s\" } or \"none\"", at: node, key: "retry")
            return nil
        }
        guard var table = TableReader(node, path: path + ["retry"], faults: faults) else { return nil }
        var policy = RetryPolicy(attempts: 1)
        if let attempts = table.integer("attempts", in: 1...RetryPolicy.mostAttempts) {
            policy.attempts = attempts
        } else if !table.isGiven("attempts") {
            table.fault("needs \"attempts\"")
        }
        if let delay = table.duration("delay") { policy.delay = delay }
        if let backoff = table.backoff() { policy.backoff = backoff }
        let longest = table.duration("max")
        // Without "max", a delay beyond the default maximum is taken as written.
        policy.max = longest ?? Swift.max(policy.max, policy.delay)
        if let longest, longest < policy.delay { table.fault("\"max\" is shorter than \"delay\"") }
        table.finish()
        return .some(policy)
    }

    private mutating func backoff() -> Double? {
        guard let node = node("backoff") else { return nil }
        let factor: Double
        switch node.content {
        case .integer(let number): factor = Double(number)
        case .float(let number): factor = number
        case .string, .boolean, .array, .table, .time:
            fault("must be a number, not \(node.kind)", at: node, key: "backoff")
            return nil
        }
        guard (1...100).contains(factor) else {
            fault("must be from 1 to 100", at: node, key: "backoff")
            return nil
        }
        return factor
    }
}

extension Overlap {
    var isQueue: Bool {
        switch self {
        case .queue: true
        case .reject, .concurrent, .latest, .join: false
        }
    }

    /// The configuration's words, as a canonical text.
    var fingerprint: String {
        switch self {
        case .queue(let limit), .concurrent(let limit): "\(kind.rawValue) \(limit)"
        case .reject, .latest, .join: kind.rawValue
        }
    }
}
