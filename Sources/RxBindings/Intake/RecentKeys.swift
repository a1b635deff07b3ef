internal import Rx

/// The keys that came last, in a bounded space: of more, those that came first are forgotten.
struct RecentKeys {
    private let limit: Int
    private var keys: Set<String> = []
    private var order = Queue<String>()

    init(limit: Int) { self.limit = limit }

    /// - Returns: whether the key is new, or forgotten.
    mutating func insert(_ key: String) -> Bool {
        guard keys.insert(key).inserted else { return false }
        order.append(key)
        if order.count > limit, let oldest = order.removeFirst() { keys.remove(oldest) }
        return true
    }

    var count: Int { keys.count }
}
