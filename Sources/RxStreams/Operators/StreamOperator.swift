public import Rx

/// One operator: a row of `OperatorTable`.
public struct StreamOperator: Sendable {
    /// How a chain continues after the step.
    public typealias Build = @Sendable (StepContext, Observable<StreamElement>) -> Observable<StreamElement>
    /// What is wrong with arguments that are valid one by one: the parameter and a sentence; nil if nothing is.
    public typealias Check = @Sendable (StepDefinition) -> (parameter: String, message: String)?

    /// The kinds that the documentation lists operators by.
    public enum Family: String, Sendable, CaseIterable {
        case perElement = "Per element"
        case limiting = "Limiting"
        case time = "Time"
        case batches = "Batches and groups"
        case sources = "Other sources"
        case executing = "Executing"
        case errors = "Errors"
    }

    /// The name, spelled as in Rx.
    public let name: String
    /// The kind of operator.
    public let family: Family
    /// What it does, in a sentence.
    public let summary: String
    /// The main argument, under the operator's name.
    public let main: Parameter
    /// The further parameters.
    public let parameters: [Parameter]
    /// Whether a current value is still one after the step.
    public let keepsLevel: Bool
    /// Whether the input must be a current value.
    public let needsLevel: Bool
    /// Whether the step holds elements back, by time or by a condition: what breaks a feedback loop.
    public let isBrake: Bool
    /// Whether the step executes an action.
    public let isExecuting: Bool
    /// Whether the step follows an executing step and belongs to it.
    public let isModifier: Bool
    /// Whether the step is composed of Rx's operators alone, so that the chain counts what passes it.
    let isComposed: Bool
    /// The faults that concern several arguments.
    public let check: Check
    let build: Build

    init(
        _ name: String, _ family: Family, _ main: Parameter.Kind..., summary: String, parameters: [Parameter] = [],
        keepsLevel: Bool = false, needsLevel: Bool = false, isBrake: Bool = false, isExecuting: Bool = false,
        isModifier: Bool = false, isComposed: Bool = false, check: @escaping Check = { _ in nil },
        build: @escaping Build
    ) {
        self.name = name
        self.family = family
        self.summary = summary
        self.main = Parameter(name, kinds: main, required: true, standard: nil, summary: "")
        self.parameters = parameters
        self.keepsLevel = keepsLevel
        self.needsLevel = needsLevel
        self.isBrake = isBrake || family == .time
        self.isExecuting = isExecuting
        self.isModifier = isModifier
        self.isComposed = isComposed
        self.check = check
        self.build = build
    }
}
