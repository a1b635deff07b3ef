/// Counts lost writes, and says when that is worth telling: when it begins, and when it is over.
struct Losses {
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
