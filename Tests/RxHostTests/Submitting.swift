import RxJSON

@testable import RxHost
@testable import RxRecords

/// A request and who observes its execution.
struct ObservedRequest {
    let request: ExecutionRequest
    let observer: ExecutionEvent.Observer?

    init(_ request: ExecutionRequest, _ observer: ExecutionEvent.Observer? = nil) {
        self.request = request
        self.observer = observer
    }
}

// Tests of executions need their objects, which brief work does without.
extension Host {
    /// Submits a request whose execution has an object of its own, whatever its work.
    func accept(_ action: HostedAction, _ observed: ObservedRequest) -> Result<AcceptedExecution, ExecutionRefusal> {
        switch accept(action, observed.request, { observed.observer.map { ExecutionObserver($0) } }) {
        case .done: preconditionFailure("without brief work nothing is done briefly")
        case .accepted(let accepted): return .success(accepted)
        case .refused(let refusal): return .failure(refusal)
        }
    }

    func accept(_ action: HostedAction, _ request: ExecutionRequest) -> Result<AcceptedExecution, ExecutionRefusal> {
        accept(action, ObservedRequest(request))
    }

    func execute(_ action: HostedAction, _ observed: ObservedRequest) -> Result<HostedExecution, ExecutionRefusal> {
        accept(action, observed).map { accepted in
            accepted.goOnUnreported()
            return accepted.execution
        }
    }

    func execute(_ action: HostedAction, _ request: ExecutionRequest) -> Result<HostedExecution, ExecutionRefusal> {
        execute(action, ObservedRequest(request))
    }

    /// Executes an input if it can be done briefly at once; nil if not.
    func executeBriefly(_ action: HostedAction, _ input: RawJSON, by origin: Origin) -> BriefExecution? {
        guard let work = action.briefWork,
            case .done(let execution) = executeBriefly(action, work, input, Causes(origin))
        else { return nil }
        return execution
    }
}
