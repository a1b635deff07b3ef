internal import RxJSON

/// Elements that a stream had to drop, because more came than it may hold.
public struct StreamDrops: Sendable, Hashable {
    /// How many.
    public let count: Int
    /// The place of the step before which they were dropped; `0` for the source.
    public let step: String

    /// `count` elements were dropped before a step.
    public init(_ count: Int, before step: String) {
        self.count = count
        self.step = step
    }
}

extension StreamDrops {
    var stored: RawJSON { RawJSON(["dropped": .number(JSONNumber(count)), "step": .string(step)]) }

    /// Nil for a value that no version has written.
    init?(stored value: JSONValue) {
        guard let count = value["dropped"]?.int, let step = value["step"]?.string else { return nil }
        self.init(count, before: step)
    }
}
