public import RxRecords
public import RxAction
public import RxJSON
public import Rx

/// Where an action's work is subscribed.
public enum WorkScheduler: String, Sendable, CaseIterable {
    /// On the caller's thread, which is the event loop's in a daemon: only for work that cannot block.
    case inline
    /// On the action's own serial scheduler.
    case serial
}

/// What a kind of action must give: everything the host needs to know to execute it.
public struct ActionDefinition: Sendable {
    public var name: String
    public var summary: String?
    /// The kind's word: "process", "builtin".
    public var kind: String
    public var overlap: Overlap
    public var scheduler: WorkScheduler
    /// Longest the work may take, from its start.
    public var timeout: Duration?
    public var retry: RetryPolicy?
    /// Who may do what with it; whoever serves the host sees to it.
    public var access = Access()
    /// Whether inputs that were accepted survive a crash; needs a host with a store.
    public var isDurable = false
    /// Whether ended executions go into the history of a host with a store; inline ones are too many and too quick for it.
    public var keepsHistory: Bool
    /// A canonical text of everything the definition was made from: equal fingerprints mean the same definition.
    public var fingerprint: String
    /// What an input must look like, for those who ask; `validate` sees to it. Nil for anything.
    public var schema: JSONSchema?
    /// What is wrong with an input, before anything starts; empty if it is accepted.
    public var validate: @Sendable (RawJSON) -> [InputFault]
    /// The work for one execution. Its elements are JSON texts without a newline; subscribed once.
    public var work: @Sendable (Invocation) -> Observable<RawJSON>
    /// For inline work that is a function from its input to one element or a failure: the same function, which the host calls
    /// instead of `work` where it can, since it costs a fraction. It must take next to no time.
    public var answer: (@Sendable (RawJSON) -> Result<RawJSON, WorkFailure>)?

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
        self.keepsHistory = keepsHistory ?? (scheduler != .inline)
        self.fingerprint = fingerprint
        self.validate = validate
        self.work = work
    }
}

extension ActionDefinition {
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

/// One input on its way into the work.
public struct Invocation: Sendable {
    public let action: String
    public let input: RawJSON
    public let context: WorkContext
    /// Nil for inline work, which cannot wait.
    public let flow: Flow?
    /// From 1; above that after failures.
    public let attempt: Int

    public init(action: String, input: RawJSON, context: WorkContext, flow: Flow? = nil, attempt: Int = 1) {
        self.action = action
        self.input = input
        self.context = context
        self.flow = flow
        self.attempt = attempt
    }
}

/// One thing wrong with an input.
public struct InputFault: Error, Sendable, Hashable {
    /// A JSON pointer into the input; empty for the whole of it.
    public let path: String
    public let message: String

    public init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}
