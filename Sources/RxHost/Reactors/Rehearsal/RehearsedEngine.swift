internal import RxRecords
internal import Dispatch
internal import Rx
internal import RxJSON

/// An engine that is asked one thing at a time, and waited for.
final class RehearsedEngine {
    /// What one request led to.
    struct Outcome {
        var mutations: [RawJSON] = []
        var patches: [JSONPatch] = []
        var fault: ReactorFault?
    }

    private let engine: any ReactorEngine
    private let outlet = RehearsalOutlet()
    private var isStarted = false

    init(_ definition: ReactorDefinition) { engine = definition.makeEngine() }

    func start(from kept: JSONValue?) throws(ReactorFault) -> JSONValue {
        let state = try engine.start(from: kept, outlet: outlet)
        isStarted = true
        outlet.begin(state)
        return state.tree
    }

    func dispatch(_ input: ReactorInput) -> Outcome {
        let answered = DispatchSemaphore(value: 0)
        let result = Locked<ReactorFault?>(nil)
        engine.dispatch(input) { fault in
            result.withLock { $0 = fault }
            answered.signal()
        }
        answered.wait()
        var outcome = outlet.take()
        outcome.fault = result.withLock { $0 }
        return outcome
    }

    func replay(_ mutation: RawJSON) -> Outcome {
        do throws(ReactorFault) {
            try engine.replay(mutation)
            return outlet.take()
        } catch {
            var outcome = outlet.take()
            outcome.fault = error
            return outcome
        }
    }

    func stop() {
        guard isStarted else { return }
        isStarted = false
        let stopped = DispatchSemaphore(value: 0)
        engine.stop { stopped.signal() }
        stopped.wait()
    }
}

/// Keeps what an engine tells until it is taken; of states only what an engine's patches need.
private final class RehearsalOutlet: ReactorOutlet {
    private struct Told {
        var outcome = RehearsedEngine.Outcome()
        /// Nil for an engine that tells patches: it changes its state in place, if nobody else has it.
        var state: (any ReactorState)?
    }

    private let told = Locked(Told())

    func begin(_ state: any ReactorState) { told.withLock { $0.state = state } }

    func take() -> RehearsedEngine.Outcome {
        told.withLock { told in
            defer { told.outcome = RehearsedEngine.Outcome() }
            return told.outcome
        }
    }

    func reduced(_ step: ReactorStep) {
        let mutation = step.mutation()
        told.withLock { told in
            let patch = step.patch ?? told.state.map { step.state.patch(from: $0) } ?? JSONPatch()
            told.state = step.patch == nil ? step.state : nil
            told.outcome.mutations.append(mutation)
            told.outcome.patches.append(patch)
        }
    }

    /// What concerns a request is told by its end, too.
    func failed(_: ReactorFault) {}
}
