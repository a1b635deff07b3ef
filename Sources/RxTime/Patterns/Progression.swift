/// The numbers `start`, `start + step`, and so on through `last`.
struct Progression: Hashable, Sendable {
    let start: Int64
    /// One of the numbers.
    let last: Int64
    /// At least 1.
    let step: Int64

    /// The numbers up to `most`, which must not be below `start`.
    init(start: Int64, most: Int64, step: Int64) {
        self.start = start
        self.step = step
        last = start + (most - start) / step * step
    }

    func first(from least: Int64) -> Int64? {
        if least <= start { return start }
        guard least <= last else { return nil }
        return start + (least - start + step - 1) / step * step
    }

    func last(through most: Int64) -> Int64? {
        if most >= last { return last }
        guard most >= start else { return nil }
        return start + (most - start) / step * step
    }

    func count(through most: Int64) -> Int { last(through: most).map { Int(($0 - start) / step) + 1 } ?? 0 }
}
