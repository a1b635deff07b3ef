/// The ids that a user namespace maps, from `/proc/self/uid_map` or `gid_map`.
///
/// Every other id outside the namespace appears inside as `overflowID`, so that their users cannot be distinguished.
package struct NamespaceMap: Sendable, Equatable {
    /// The id that the kernel shows for an unmapped one: "nobody", unless an administrator has changed it.
    package static let overflowID: UInt32 = 65_534
    /// All ids; the last number means "none".
    private static let everything: ClosedRange<UInt32> = 0...(UInt32.max - 1)

    /// The mapped ids, as numbers inside the namespace; in order, without overlap.
    private let ranges: [ClosedRange<UInt32>]

    /// The map without a user namespace, or of one that maps every id.
    package static let whole = NamespaceMap(ranges: [everything])

    private init(ranges: [ClosedRange<UInt32>]) {
        self.ranges = ranges
    }

    /// Each line is "first-inside first-outside count". Nil for a text that is not a map.
    package init?(_ text: String) {
        var ranges: [ClosedRange<UInt32>] = []
        for line in text.split(separator: "\n") {
            let numbers = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map { UInt32($0) }
            guard numbers.count == 3, let first = numbers[0], numbers[1] != nil, let count = numbers[2], count > 0,
                case (let last, false) = first.addingReportingOverflow(count - 1)
            else { return nil }
            ranges.append(first...last)
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        self.ranges = ranges.reduce(into: []) { merged, range in
            if let last = merged.last, range.lowerBound <= last.upperBound || range.lowerBound == last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }

    /// Whether every id is mapped.
    package var isWhole: Bool {
        ranges.first.map { $0.contains(0) && $0.upperBound >= Self.everything.upperBound } ?? false
    }

    /// Whether this id identifies one user.
    package func distinguishes(_ id: UInt32) -> Bool {
        if isWhole { return true }
        // Even if it is mapped, it also stands for every hidden user.
        return id != Self.overflowID && ranges.contains { $0.contains(id) }
    }

    /// A kernel without user namespaces has no such file; then every id is mapped.
    package static func ofThisProcess(_ file: String) -> NamespaceMap {
        guard case .success(let bytes) = ConfigurationFiles.contents(of: "/proc/self/\(file)", atMost: longestMap),
            let map = NamespaceMap(String(decoding: bytes, as: UTF8.self))
        else { return .whole }
        return map
    }

    /// Largest map in bytes; the kernel accepts 340 lines.
    private static let longestMap = 65_536
}
