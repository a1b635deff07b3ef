/// Which ids exist in a user namespace, as `/proc/self/uid_map` and `gid_map` tell it.
///
/// Whoever has another id outside of it is seen with `overflowID` inside, and cannot be told from anyone else who has.
package struct NamespaceMap: Sendable, Equatable {
    /// What the kernel shows in the place of an id that is not mapped: "nobody", unless an administrator has changed it.
    package static let overflowID: UInt32 = 65_534
    /// Every id there is: the last one means "none".
    private static let everything: ClosedRange<UInt32> = 0...(UInt32.max - 1)

    /// The ids that are mapped, as they are called inside; in order, without overlap.
    private let ranges: [ClosedRange<UInt32>]

    /// No user namespace, or one that hides nobody.
    package static let whole = NamespaceMap(ranges: [everything])

    private init(ranges: [ClosedRange<UInt32>]) {
        self.ranges = ranges
    }

    /// Each line is "first-inside first-outside count". Nil for a text that is no map.
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

    /// Whether a peer with this id is known by it, and nobody else is.
    package func tells(_ id: UInt32) -> Bool {
        if isWhole { return true }
        // Mapped or not: here it stands for everyone who is hidden, too.
        return id != Self.overflowID && ranges.contains { $0.contains(id) }
    }

    /// A kernel without user namespaces has no such file: then nothing is hidden.
    package static func ofThisProcess(_ file: String) -> NamespaceMap {
        guard case .success(let bytes) = ConfigurationFiles.contents(of: "/proc/self/\(file)", atMost: longestMap),
            let map = NamespaceMap(String(decoding: bytes, as: UTF8.self))
        else { return .whole }
        return map
    }

    /// The kernel takes 340 lines.
    private static let longestMap = 65_536
}
