/// Ranges of numbers in which events of the log may be missing, because they could not be written. What is around them
/// is kept.
public struct EventHoles: Sendable, Equatable {
    /// Beyond so many, the oldest two are joined.
    static let most = 64

    /// In their order, without overlaps.
    public private(set) var ranges: [ClosedRange<UInt64>] = []

    /// No holes.
    public init() {}

    /// The last number in a hole; 0 if there is none.
    public var last: UInt64 { ranges.last?.upperBound ?? 0 }

    /// Adds a range, which may overlap others.
    public mutating func insert(_ range: ClosedRange<UInt64>) {
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
        let end = ranges[first...].firstIndex { $0.lowerBound > range.upperBound } ?? ranges.endIndex
        let joined = ranges[first..<end].reduce(range) { $0.joined($1) }
        ranges.replaceSubrange(first..<end, with: [joined])
        if ranges.count > Self.most { ranges.replaceSubrange(..<2, with: [ranges[0].joined(ranges[1])]) }
    }

    /// The parts of the holes that are among these numbers.
    public func within(_ numbers: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
        ranges.filter { $0.overlaps(numbers) }.map { $0.clamped(to: numbers) }
    }

    /// Forgets holes that are beyond the retention with all that is up to `number`.
    mutating func forget(through number: UInt64) { ranges.removeAll { $0.upperBound <= number } }
}

extension ClosedRange {
    /// The numbers of both, and those between them.
    package func joined(_ other: ClosedRange) -> ClosedRange {
        Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}

extension Schema.Step {
    /// The holes of the log: at most `EventHoles.most` rows.
    static let holes = Schema.Step(
        "CREATE TABLE holes(first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;")
}

extension EventHoles {
    /// Reads the holes of a database.
    init(_ database: Database) throws(StoreError) {
        let rows = try Statement("SELECT first, last FROM holes ORDER BY first", database)
        while try rows.step() {
            let (first, last) = (rows.unsigned(0), rows.unsigned(1))
            insert(first...max(first, last))
        }
    }

    /// Replaces those of a database.
    func write(to database: Database) throws(StoreError) {
        try database.execute("DELETE FROM holes")
        let insert = try Statement("INSERT INTO holes(first, last) VALUES(?1, ?2)", database)
        for range in ranges {
            insert.bind(1, Int64(clamping: range.lowerBound))
            insert.bind(2, Int64(clamping: range.upperBound))
            try insert.run()
        }
    }
}
