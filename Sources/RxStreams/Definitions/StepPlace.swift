/// A step of a stream and where it is.
public struct StepPlace: Sendable {
    /// The number of the step, after those of the steps around it: `2.1` is the first step within the second.
    public let place: String
    /// The step.
    public let step: StepDefinition
    /// The place of what counts its elements: its own, or that of the step that it modifies.
    public let counted: String
}

extension StreamDefinition {
    /// All steps in order, each followed by those within it.
    public var places: [StepPlace] { Self.places(of: steps, in: "") }

    private static func places(of chain: [StepDefinition], in outer: String) -> [StepPlace] {
        var places: [StepPlace] = []
        var counted = ""
        for (index, step) in chain.enumerated() {
            let place = outer.isEmpty ? "\(index + 1)" : "\(outer).\(index + 1)"
            if !(OperatorTable.named(step.name)?.isModifier ?? false) { counted = place }
            places.append(StepPlace(place: place, step: step, counted: counted))
            for inner in step.innerChains { places += Self.places(of: inner, in: place) }
        }
        return places
    }
}
