public import RxRecords
public import RxJSON

/// Runs a hosted reactor: takes actions as JSON and passes each reduced mutation, with the state after it, to its
/// outlet.
///
/// One engine has one state. Its calls to the outlet come one at a time and in their order, from whatever thread, also
/// from within `dispatch`.
public protocol ReactorEngine: AnyObject, Sendable {
    /// Begins with its own initial state, or with one that was stored.
    ///
    /// Called once, before anything else. Streams that it merges into its mutations are subscribed here.
    ///
    /// Throws a fault of stage `.restore` if it cannot take that state.
    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState

    /// Dispatches an action, after those that were dispatched before.
    ///
    /// - Parameters:
    ///   - input: the action and its origin.
    ///   - completion: called once, on any thread, when all mutations of the action have been passed to the outlet, or
    ///     with the first fault; mutations that were reduced before the fault stay.
    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void)

    /// Reduces a stored mutation, and does nothing else. The step is passed to the outlet before this returns.
    ///
    /// Throws a fault of stage `.restore` if the engine does not know the mutation.
    func replay(_ mutation: RawJSON) throws(ReactorFault)

    /// Ends pending dispatches, in their order, with a fault of stage `.stopped`; with `isWithoutEffect` if the engine
    /// knows that they had none.
    ///
    /// - Parameter completion: called once, on any thread; after it, the outlet is not called any more.
    func stop(completion: @escaping @Sendable () -> Void)

    /// Calls `answer` from the engine's own thread, as soon as that makes progress, for a watchdog.
    ///
    /// An engine without a thread of its own need not implement it: it answers at once.
    ///
    /// - Parameter answer: called once, on any thread, also if the engine has stopped.
    func probe(_ answer: @escaping @Sendable () -> Void)
}

extension ReactorEngine {
    public func probe(_ answer: @escaping @Sendable () -> Void) { answer() }
}

/// Receives the steps and faults of an engine.
public protocol ReactorOutlet: AnyObject, Sendable {
    /// A mutation was reduced.
    func reduced(_ step: ReactorStep)
    /// Something failed; the state is as it was. Faults that a completion receives are reported here too.
    func failed(_ fault: ReactorFault)
}

/// An action on its way to an engine. A kind of engine may have a subclass with the action in a form of its own.
// Unchecked: `refusal` is used in turns of the reactor only, and when it is gone. The event log's lock guards
// `newestStep`, `isAnswered`, and `isUndone`. All else is immutable, also in subclasses.
public class ReactorInput: @unchecked Sendable {
    /// The action as it came.
    public let action: RawJSON
    /// What led to it, the dispatching client first.
    public let causes: Causes
    /// Why a state that it led to was refused.
    var refusal: (any Error)?
    /// The revision of the newest mutation that it has led to; 0 if there is none.
    var newestStep: UInt64 = 0
    /// Whether the dispatch is answered.
    var isAnswered = false
    /// Whether a mutation that it has led to was undone.
    var isUndone = false

    /// Where it comes from: the nearest of the causes.
    public var by: Origin { causes.by }

    /// An action that was validated.
    public init(_ action: RawJSON, causes: Causes) {
        self.action = action
        self.causes = causes
    }

    /// An action that was validated, and has no other cause than `by`.
    public convenience init(_ action: RawJSON, by: Origin) {
        self.init(action, causes: Causes(by))
    }
}

/// One mutation, reduced.
public struct ReactorStep: Sendable {
    /// The action whose mutation it is; nil for one of a merged stream.
    public let input: ReactorInput?
    /// Writes the mutation as JSON; called only where it is needed.
    public let mutation: @Sendable () -> RawJSON
    /// The state after the mutation.
    public let state: any ReactorState
    /// The patch from the state before, if the engine has it anyway.
    public let patch: JSONPatch?
    /// Whether the action may be dispatched again to see which mutations it leads to: this one followed from the action
    /// and the state alone, without side effects. The mutations of one action are reported one after another.
    public let isRepeatable: Bool

    /// A step without a patch that is not repeatable, unless given.
    public init(
        input: ReactorInput?, mutation: @escaping @Sendable () -> RawJSON, state: any ReactorState,
        patch: JSONPatch? = nil, isRepeatable: Bool = false
    ) {
        self.input = input
        self.mutation = mutation
        self.state = state
        self.patch = patch
        self.isRepeatable = isRepeatable
    }
}
