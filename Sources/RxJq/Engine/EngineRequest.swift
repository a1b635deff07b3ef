internal import RxHost
internal import RxJSON

/// A request to an engine, processed in order.
enum EngineRequest: Sendable {
    case action(DispatchProgress)
    case element(rule: Int, RawJSON, DispatchProgress)
    case failure(rule: Int, RawJSON, DispatchProgress)
    /// An execution has ended and its elements are reduced. Carries a fault if its failure produces no mutation.
    case executionEnded(ReactorFault?, DispatchProgress)
    case merged(Int, RawJSON)
    /// The state of a merged reactor; nil until it is processed, because the mailbox may have a newer one by then.
    case state(merge: Int, RawJSON?)
    /// Reduces the action as a mutation, without rules.
    case replay(DispatchProgress)
    case stop(@Sendable () -> Void)

    /// The bytes of an element from a stream without backpressure; nil for another request.
    var elementBytes: Int? {
        switch self {
        case .element(_, let value, _), .merged(_, let value): value.utf8.count
        case .action, .failure, .executionEnded, .state, .replay, .stop: nil
        }
    }

    /// The dispatch that the request belongs to; nil if there is none.
    var progress: DispatchProgress? {
        switch self {
        case .action(let progress), .element(_, _, let progress), .failure(_, _, let progress),
            .executionEnded(_, let progress), .replay(let progress):
            progress
        case .merged, .state, .stop: nil
        }
    }

    /// The program that it runs first; nil if that is not known.
    var place: ProgramPlace? {
        switch self {
        case .element(let rule, _, _): ProgramPlace(.rule(rule), "element")
        case .failure(let rule, _, _): ProgramPlace(.rule(rule), "failure")
        case .merged(let merge, _), .state(let merge, _): ProgramPlace(.merge(merge), "mutation")
        case .replay: ProgramPlace(nil, ProgramPlace.reduce)
        case .action, .executionEnded, .stop: nil
        }
    }

    /// Whether its mutations come directly from rules.
    var isAction: Bool {
        if case .action = self { true } else { false }
    }

    /// The action that the resulting mutations are attributed to, if any.
    var input: ReactorInput? {
        if case .replay = self { nil } else { progress?.input }
    }

    /// The request to the worker; nil for a request that only holds a position in the order.
    var question: WorkerRequest? {
        switch self {
        case .action(let progress): .action(progress.input.action)
        case .element(let rule, let value, let progress):
            .element(rule: rule, action: progress.input.action, value)
        case .failure(let rule, let error, let progress):
            .failure(rule: rule, action: progress.input.action, error)
        case .merged(let merge, let value): .merge(merge, isState: false, value)
        case .state(let merge, let value): .merge(merge, isState: true, value ?? .null)
        case .replay(let progress): .replay(progress.input.action)
        case .executionEnded, .stop: nil
        }
    }
}
