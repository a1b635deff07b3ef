/// Counts lost writes, and decides when to report them: when losses begin, and when writing works again.
struct WriteLosses {
    private(set) var total = 0
    private var isFailing = false
    /// Writes lost since the losses began.
    private var current = 0

    /// - Returns: the error to report, if any.
    mutating func lost(_ count: Int, _ error: StoreError) -> StoreError? {
        total += count
        current += count
        defer { isFailing = true }
        return isFailing ? nil : error
    }

    /// One more write is lost, of those whose first was reported.
    mutating func lostMore() {
        total += 1
        if isFailing { current += 1 }
    }

    /// A group was written whole.
    ///
    /// - Returns: the error to report, if any.
    mutating func written() -> StoreError? {
        guard isFailing else { return nil }
        isFailing = false
        defer { current = 0 }
        return current > 0 ? .lost(count: current) : nil
    }
}
