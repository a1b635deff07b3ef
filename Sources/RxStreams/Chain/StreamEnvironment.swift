public import RxJSON
public import Rx

/// What is outside of a stream, for its steps.
public protocol StreamEnvironment: AnyObject, Sendable {
    /// Executes an action for an element. The sequence emits in turns of the stream: the elements of the execution,
    /// then its end, or a `StepFailure`. Disposing it cancels the execution.
    func execute(_ execution: StepExecution, in context: StreamContext) -> Observable<RawJSON>

    /// Something failed in a step; the element is dropped.
    func report(_ failure: StreamFailure, in context: StreamContext)

    /// A step had to drop elements that waited in it.
    func report(lost count: Int, step: String, in context: StreamContext)
}

/// An execution that a step requests.
public struct StepExecution: Sendable {
    /// The name of the action.
    public var action: String
    /// The input of the action.
    public var input: RawJSON
    /// The element that it is for.
    public var element: StreamElement
    /// The place of the step.
    public var step: String
    /// Whether the step takes only the last element of the execution, so that the others may be left out.
    public var isLastOnly: Bool
}

/// The failure of an execution that a step requested.
public struct StepFailure: Error, Sendable, Hashable {
    /// The name of the error, such as `failed`, `timedOut`, or `notEnabled`.
    public var name: String
    /// What happened.
    public var message: String
    /// The error as `catch` gets it: an object with `name`, `message`, and the facts.
    public var error: RawJSON
    /// Whether another attempt may succeed.
    public var mayPass: Bool

    /// Creates a failure.
    public init(name: String, message: String, error: RawJSON, mayPass: Bool = true) {
        self.name = name
        self.message = message
        self.error = error
        self.mayPass = mayPass
    }
}

/// A failure in a stream: what an `errors` event of the stream has.
public struct StreamFailure: Sendable, Hashable {
    /// The place of the step, such as `2.1`; nil if the source failed.
    public var step: String?
    /// The operator.
    public var operatorName: String?
    /// The program that failed, if one did.
    public var program: String?
    /// What happened.
    public var message: String
    /// The element that is dropped.
    public var element: RawJSON?

    /// Creates a failure.
    public init(
        step: String? = nil, operatorName: String? = nil, program: String? = nil, message: String,
        element: RawJSON? = nil
    ) {
        self.step = step
        self.operatorName = operatorName
        self.program = program
        self.message = message
        self.element = element
    }
}

extension StreamFailure {
    /// The failure as clients and other streams get it.
    public var json: JSONValue {
        var members: [(String, JSONValue)] = [("message", .string(message))]
        if let step { members.append(("step", .string(step))) }
        if let operatorName { members.append(("operator", .string(operatorName))) }
        if let program { members.append(("program", .string(program))) }
        if let element { members.append(("element", element.value())) }
        return .object(JSONObject(members))
    }
}
