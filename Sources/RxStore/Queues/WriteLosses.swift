/// Counts lost writes, and says when that is worth telling: when it begins, and when it is over.
struct WriteLosses {
    private(set) var total = 0
    private var isFailing = false
    /// Lost since it began.
    private var current = 0

    /// - Returns: what to tell.
    mutating func lost(_ count: Int, _ error: StoreError) -> StoreError? {
        total += count
        current += count
        defer { isFailing = true }
        return isFailing ? nil : error
    }

    /// One more, of those whose first was told.
    mutating func lostMore() {
        total += 1
        if isFailing { current += 1 }
    }

    /// A group was written whole.
    ///
    /// - Returns: what to tell.
    mutating func written() -> StoreError? {
        guard isFailing else { return nil }
        isFailing = false
        defer { current = 0 }
        return current > 0 ? .lost(count: current) : nil
    }
}
