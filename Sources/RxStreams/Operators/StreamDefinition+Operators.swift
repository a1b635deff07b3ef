// Facts about a stream that follow from its operators.

extension StreamDefinition {
    /// Whether the elements are a current value: a level, passed only through operators that keep one. `isLevel`
    /// answers for the streams that it reads.
    public func isLevel(_ isLevel: (_ stream: String) -> Bool) -> Bool {
        source.isLevel(isLevel) && steps.allSatisfy { OperatorTable.named($0.name)?.keepsLevel ?? false }
    }

    /// As `isLevel(_:)`, if no stream that it reads is one.
    public var isLevel: Bool { isLevel { _ in false } }

    /// The names of the actions that its steps execute.
    public var executes: Set<String> { Set(steps.flatMap(\.executedActions)) }
}

extension StepDefinition {
    /// The actions that the step and its inner steps execute.
    fileprivate var executedActions: [String] {
        var names: [String] = []
        if OperatorTable.named(name)?.isExecuting ?? false, case .text(let action)? = main { names.append(action) }
        return names + innerChains.flatMap { $0.flatMap(\.executedActions) }
    }
}
