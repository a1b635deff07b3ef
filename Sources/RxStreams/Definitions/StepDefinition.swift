internal import RxJSON

/// One step of `through`: an operator with its arguments.
public struct StepDefinition: Sendable, Hashable {
    /// The name of the operator, a row of `OperatorTable`.
    public var name: String
    /// The arguments by name; the main argument has the operator's name.
    public var arguments: [String: ArgumentValue]

    /// Creates a step.
    public init(_ name: String, _ arguments: [String: ArgumentValue] = [:]) {
        self.name = name
        self.arguments = arguments
    }

    /// The main argument.
    public var main: ArgumentValue? { arguments[name] }

    func program(_ name: String) -> StreamProgram? {
        if case .program(let program)? = arguments[name] { program } else { nil }
    }

    /// Microseconds.
    func duration(_ name: String) -> Int64? {
        if case .duration(let microseconds)? = arguments[name] { microseconds } else { nil }
    }

    func count(_ name: String) -> Int? { if case .count(let count)? = arguments[name] { count } else { nil } }

    func boolean(_ name: String) -> Bool? { if case .boolean(let value)? = arguments[name] { value } else { nil } }

    func json(_ name: String) -> RawJSON? { if case .json(let value)? = arguments[name] { value } else { nil } }

    func text(_ name: String) -> String? { if case .text(let text)? = arguments[name] { text } else { nil } }

    func source(_ name: String) -> SourceDefinition? {
        if case .source(let source)? = arguments[name] { source } else { nil }
    }

    func steps(_ name: String) -> [StepDefinition] {
        if case .steps(let steps)? = arguments[name] { steps } else { [] }
    }
}
