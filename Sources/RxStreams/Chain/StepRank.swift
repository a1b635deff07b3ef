/// The place of a step in the order of what is due at one moment: later steps come first, so that an element meets what
/// was due before it. Unlike the order in which alarms were set, it is the same after a restart.
struct StepRank: Sendable {
    /// The numbers of the step and of those around it, outermost first; for a group, the negative number of the group
    /// follows that of its step.
    private let numbers: [Int]

    private init(_ numbers: [Int]) { self.numbers = numbers }

    /// After all steps: for what is due in the middle of an execution.
    static let last = StepRank([])

    /// The rank of a part.
    func part(_ number: Int) -> StepRank { StepRank(numbers + [number]) }

    /// Whether this comes before another one; nil if their order does not matter.
    func order(before other: StepRank) -> Bool? {
        for (one, two) in zip(numbers, other.numbers) where one != two { return one > two }
        return numbers.count == other.numbers.count ? nil : numbers.count > other.numbers.count
    }
}
