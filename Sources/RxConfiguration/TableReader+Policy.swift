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
    /// Largest `parallel`; each execution in flight takes memory, and most have a process.
    private static var mostParallel: Int { 10_000 }

    /// Largest `limit` with `by`: each group has a queue, and all queues together should take no more memory than one.
    private static var largestLimitOfGroup: Int { largestLimit / InputGroups.most }

    /// `overlap`, `limit`, and `parallel`; `defaults` unless `overlap` is set.
    ///
    /// - Parameter isGrouped: whether each group of inputs has that overlap for itself.
    mutating func overlap(defaults: Overlap, isGrouped: Bool) -> Overlap {
        let limitNode = node("limit")
        let parallelNode = node("parallel")
        let most = isGrouped ? Self.largestLimitOfGroup : Self.largestLimit
        return parallel(limited(overlap() ?? defaults, limitNode, most: most), parallelNode)
    }

    private func parallel(_ overlap: Overlap, _ node: TOMLNode?) -> Overlap {
        guard let node else { return overlap }
        guard case .queue(let limit, _) = overlap else {
            let hint = overlap.kind == .concurrent ? "; for \"concurrent\", it is \"limit\"" : ""
            fault("needs overlap = \"queue\"\(hint)", at: node, key: "parallel")
            return overlap
        }
        guard case .integer(let parallel) = node.content else {
            fault("must be an integer, not \(node.kind)", at: node, key: "parallel")
            return overlap
        }
        guard (1...Self.mostParallel).contains(parallel) else {
            fault("must be from 1 to \(Self.mostParallel)", at: node, key: "parallel")
            return overlap
        }
        return .queue(limit: limit, parallel: parallel)
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

    private func limited(_ overlap: Overlap, _ limitNode: TOMLNode?, most: Int) -> Overlap {
        guard let limitNode else { return overlap }
        guard case .integer(let limit) = limitNode.content else {
            fault("must be an integer, not \(limitNode.kind)", at: limitNode, key: "limit")
            return overlap
        }
        guard (1...most).contains(limit) else {
            fault(
                "must be from 1 to \(most)\(most < Self.largestLimit ? " with \"by\"" : "")", at: limitNode,
                key: "limit")
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
        case .queue(let limit, parallel: 1), .concurrent(let limit): "\(kind.rawValue) \(limit)"
        case .queue(let limit, let parallel): "\(kind.rawValue) \(limit) parallel \(parallel)"
        case .reject, .latest, .join: kind.rawValue
        }
    }
}
