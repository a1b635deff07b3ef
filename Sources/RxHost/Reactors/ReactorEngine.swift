public import RxRecords
public import RxJSON

/// What runs a hosted reactor: takes actions as JSON, tells each reduced mutation with the state after it.
///
/// One engine has one state. Its calls to the outlet come one at a time and in their order, from whatever thread, also
/// from within `dispatch`.
public protocol ReactorEngine: AnyObject, Sendable {
    /// Begins with its own initial state, or with one that was kept.
    ///
    /// Called once, before anything else. Streams that it merges into its mutations are subscribed here.
    ///
    /// Throws a fault of stage `.restore` if it cannot take that state.
    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState

    /// Takes an action, after those that it took before.
    ///
    /// - Parameter completion: called once, when all mutations of the action are told, or with what went wrong first; what
    ///   was reduced before that stays.
    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void)

    /// Reduces a mutation that was kept, and nothing else: for replaying.
    ///
    /// Told as `dispatch` tells, before it returns.
    func replay(_ mutation: RawJSON) throws(ReactorFault)

    /// Ends what it has in hand with a fault of stage `.stopped`; nothing is told after the completion.
    func stop(completion: @escaping @Sendable () -> Void)
}

/// Where an engine tells what happens.
public protocol ReactorOutlet: AnyObject, Sendable {
    func reduced(_ step: ReactorStep)
    /// Something failed; the state is as it was. What a completion tells is told here too.
    func failed(_ fault: ReactorFault)
}

/// An action on its way. A kind of engine may have one of its own, with what it has made of the action already.
// Unchecked: `refusal` is used in turns of the reactor only, and when it is gone. All else is immutable, also in those derived.
public class ReactorInput: @unchecked Sendable {
    public let action: RawJSON
    public let by: Origin
    /// Why a state that it led to was not taken.
    var refusal: (any Error)?

    public init(_ action: RawJSON, by: Origin) {
        self.action = action
        self.by = by
    }
}

/// One mutation, reduced.
public struct ReactorStep: Sendable {
    /// The action whose mutation it is; nil for one of a merged stream.
    public let input: ReactorInput?
    /// Written only where somebody wants it.
    public let mutation: @Sendable () -> RawJSON
    public let state: any ReactorState
    /// From the state before, if the engine knows it anyway.
    public let patch: JSONPatch?
    /// Whether the action may be dispatched again to see which mutations it leads to: nothing but the action and the state
    /// made this one, and making it did nothing else. Those of one action are told one after another.
    public let isRepeatable: Bool

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

/// What went wrong in a reactor. It lives on.
public struct ReactorFault: Error, Sendable, Hashable {
    public enum Stage: String, Sendable, CaseIterable {
        /// Where actions, mutations or states are transformed,
        case transform
        /// an action becomes mutations, or
        case mutate
        /// a mutation becomes a state.
        case reduce
        /// A stream that is merged into the mutations has failed.
        case merge
        /// What was kept is no state of this reactor.
        case restore
        /// The state would be larger than it may be.
        case size
        /// A program took longer, or more memory, than it may.
        case limit
        /// The reactor is stopping.
        case stopped
    }

    public var stage: Stage
    /// One line.
    public var message: String
    /// What it failed on, if it is known and not too large to tell.
    public var input: RawJSON?

    public init(_ stage: Stage, _ message: String, input: RawJSON? = nil) {
        self.stage = stage
        self.message = message
        self.input = input
    }
}
