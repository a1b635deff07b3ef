public import RxRecords
public import RxAction
public import RxJSON
public import RxPlatform
public import Rx

/// Where an action's work is subscribed.
public enum WorkScheduler: String, Sendable, CaseIterable {
    /// On the caller's thread, which is the event loop's in a daemon: only for work that cannot block.
    case inline
    /// On the action's own serial scheduler.
    case serial
}

/// Everything that a kind of action provides for the host to execute it.
public struct ActionDefinition: Sendable {
    /// The name under which clients find the action.
    public var name: String
    /// One line for people; nil for none.
    public var summary: String?
    /// The kind's word: "process", "builtin".
    public var kind: String
    /// What becomes of an input that arrives while work is in flight.
    public var overlap: Overlap
    /// The groups of inputs, each of which has `overlap` for itself; nil for none.
    public var groups: InputGroups?
    /// Where the work runs. Inline work cannot wait, so it has no `Flow`.
    public var scheduler: WorkScheduler
    /// The longest time that the work may take, from its start.
    public var timeout: Duration?
    /// How often failed work is tried again; nil for never.
    public var retry: RetryPolicy?
    /// The rights of clients. The host does not check them; its server does.
    public var access = Access()
    /// Whether accepted inputs survive a crash; needs a host with a store.
    public var isDurable = false
    /// Whether ended executions go into the history of a host with a store. By default those of an `answer` do not:
    /// there are too many of them. Where the work runs does not matter.
    public var keepsHistory: Bool {
        get { givenKeepsHistory ?? (answer == nil) }
        set { givenKeepsHistory = newValue }
    }
    private var givenKeepsHistory: Bool?
    /// Whether the host reports the end of each execution to its `onEnd`, for logs. By default not for an `answer`, of
    /// which there are too many.
    public var logsEnds: Bool {
        get { givenLogsEnds ?? (answer == nil) }
        set { givenLogsEnds = newValue }
    }
    private var givenLogsEnds: Bool?
    /// A canonical text of everything that the definition was made from: equal fingerprints mean the same definition.
    public var fingerprint: String
    /// The schema of inputs, for clients that ask for it; `validate` enforces it. Nil if any input is accepted.
    public var schema: JSONSchema?
    /// Returns what is wrong with an input, before anything starts; nothing if it is accepted.
    public var validate: @Sendable (RawJSON) -> [InputFault]
    /// The work for one execution. Its elements are JSON texts without a newline; subscribed once.
    public var work: @Sendable (Invocation) -> Observable<RawJSON>
    /// For inline work that is a function from its input to one element or a failure: the same function, which the host
    /// calls instead of `work` where it can, since it costs a fraction. It must take next to no time.
    public var answer: (@Sendable (RawJSON) -> Result<RawJSON, WorkFailure>)?

    /// A definition without a schema, whose `validate` accepts any input unless it is given.
    ///
    /// Each parameter sets the property of its name; nil for `keepsHistory` stands for its default.
    public init(
        name: String, summary: String? = nil, kind: String, overlap: Overlap = .reject,
        scheduler: WorkScheduler = .serial, timeout: Duration? = nil, retry: RetryPolicy? = nil,
        isDurable: Bool = false, keepsHistory: Bool? = nil, fingerprint: String,
        validate: @escaping @Sendable (RawJSON) -> [InputFault] = { _ in [] },
        work: @escaping @Sendable (Invocation) -> Observable<RawJSON>
    ) {
        self.name = name
        self.summary = summary
        self.kind = kind
        self.overlap = overlap
        self.scheduler = scheduler
        self.timeout = timeout
        self.retry = retry
        self.isDurable = isDurable
        givenKeepsHistory = keepsHistory
        self.fingerprint = fingerprint
        self.validate = validate
        self.work = work
    }
}

extension ActionDefinition {
    /// An action of which only the log of an earlier host knows: only those who may do everything may see it.
    static func unconfigured(_ name: String) -> ActionDefinition {
        var definition = ActionDefinition(name: name, kind: "", fingerprint: "") { _ in .never() }
        definition.access = .nobody
        return definition
    }

    /// Inline work that is a function from its input to one element or a failure.
    init(
        name: String, kind: String, fingerprint: String,
        answer: @escaping @Sendable (RawJSON) -> Result<RawJSON, WorkFailure>
    ) {
        self.init(name: name, kind: kind, scheduler: .inline, fingerprint: fingerprint) { invocation in
            switch answer(invocation.input) {
            case .success(let element): .just(element)
            case .failure(let failure): .error(failure)
            }
        }
        self.answer = answer
    }
}

extension ActionDefinition {
    /// The same definition without its `answer`, so that each execution asks the host. What is recorded stays as it is.
    func withoutAnswer() -> ActionDefinition {
        var definition = self
        (definition.keepsHistory, definition.logsEnds) = (keepsHistory, logsEnds)
        definition.answer = nil
        return definition
    }
}

/// One input on its way into the work.
public struct Invocation: Sendable {
    /// The name of the action.
    public let action: String
    /// The input as it came, with what may not be shown.
    public let input: RawJSON
    /// The execution's identity and its cancellation.
    public let context: WorkContext
    /// Nil for inline work, which cannot wait.
    public let flow: Flow?
    /// From 1; above that after failures.
    public let attempt: Int
    /// What led to the execution. Work that dispatches to a reactor, or requests another execution, passes it on, so
    /// that the chain goes on.
    public let causes: Causes
    /// Keeps what the work has written to its standard error, for `execution.output`. Elements are kept anyway.
    public let keepError: @Sendable (UnsafeRawBufferPointer) -> Void
    /// The outside world of the host.
    public let platform: Platform
    /// The secrets of the input, which must not be kept; nil without any.
    package var mask: SecretMask?

    /// The first attempt, requested by the host itself, whose standard error is not kept, unless given.
    public init(
        action: String, input: RawJSON, context: WorkContext, flow: Flow? = nil, attempt: Int = 1,
        causes: Causes = Causes(.host), keepError: @escaping @Sendable (UnsafeRawBufferPointer) -> Void = { _ in },
        platform: Platform = .system
    ) {
        self.action = action
        self.input = input
        self.context = context
        self.flow = flow
        self.attempt = attempt
        self.causes = causes
        self.keepError = keepError
        self.platform = platform
    }
}
