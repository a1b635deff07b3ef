internal import RxJSON

/// Elements that a stream had to drop, because more came than it may hold.
public struct StreamDrops: Sendable, Hashable {
    /// How many; nil if nobody knows whether there were any.
    public let count: Int?
    /// The place of the step before which they were dropped; `0` for the source.
    public let step: String

    /// `count` elements were dropped before a step; nil if nobody knows whether there were any.
    public init(_ count: Int?, before step: String) {
        self.count = count
        self.step = step
    }
}

extension StreamDrops {
    var stored: RawJSON { RawJSON(["dropped": count.map { .number(JSONNumber($0)) } ?? .null, "step": .string(step)]) }

    /// Nil for a value that no version has written.
    init?(stored value: JSONValue) {
        guard let dropped = value["dropped"], let step = value["step"]?.string else { return nil }
        let count = dropped.int
        guard count != nil || dropped == .null else { return nil }
        self.init(count, before: step)
    }
}
