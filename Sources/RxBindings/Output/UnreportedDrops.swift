internal import RxTime

/// Elements that were dropped and are not reported yet: a stream that drops one element after another reports their
/// number once in a second.
struct UnreportedDrops: Sendable {
    /// Microseconds between two reports.
    static let distance: Int64 = 1_000_000

    /// Nil for an unknown number.
    private var counts: [String: Int?] = [:]
    private var reported: Instant?

    /// - Returns: whether they are the first that are not reported.
    mutating func add(_ count: Int?, step: String) -> Bool {
        let isFirst = counts.isEmpty
        let before: Int? = counts[step] ?? 0
        counts.updateValue(before.flatMap { before in count.map { before + $0 } }, forKey: step)
        return isFirst
    }

    /// The drops to report now, by their steps.
    mutating func takeDue(at now: Instant) -> [(count: Int?, step: String)] {
        let isDue = reported.map { $0.adding(microseconds: Self.distance) <= now || now < $0 } ?? true
        guard !counts.isEmpty, isDue else { return [] }
        reported = now
        return takeAll()
    }

    mutating func takeAll() -> [(count: Int?, step: String)] {
        defer { counts = [:] }
        return counts.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }
    }
}
