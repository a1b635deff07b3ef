internal import RxRecords
internal import Dispatch
internal import Rx
internal import RxJSON

/// An engine that handles one request at a time, synchronously.
final class RehearsedEngine {
    /// The result of one request.
    struct Outcome {
        var mutations: [RawJSON] = []
        var patches: [JSONPatch] = []
        var fault: ReactorFault?
    }

    private let engine: any ReactorEngine
    private let outlet = RehearsalOutlet()
    private let lines: [String: SourceLine]
    private var isStarted = false

    init(_ definition: ReactorDefinition) {
        engine = definition.makeEngine()
        lines = definition.lines
    }

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
        outcome.fault = result.withLock { $0 }.map(located)
        return outcome
    }

    func replay(_ mutation: RawJSON) -> Outcome {
        do throws(ReactorFault) {
            try engine.replay(mutation)
            return outlet.take()
        } catch {
            var outcome = outlet.take()
            outcome.fault = located(error)
            return outcome
        }
    }

    private func located(_ fault: ReactorFault) -> ReactorFault {
        var fault = fault
        fault.place = fault.place?.located(in: lines)
        return fault
    }

    func stop() {
        guard isStarted else { return }
        isStarted = false
        let stopped = DispatchSemaphore(value: 0)
        engine.stop { stopped.signal() }
        stopped.wait()
    }
}

/// Collects the mutations and patches of an engine until they are taken. It keeps the state only if it has to compute
/// patches.
private final class RehearsalOutlet: ReactorOutlet {
    private struct Collected {
        var outcome = RehearsedEngine.Outcome()
        /// Nil for an engine that provides patches: it changes its state in place if there is no other reference to it.
        var state: (any ReactorState)?
    }

    private let collected = Locked(Collected())

    func begin(_ state: any ReactorState) { collected.withLock { $0.state = state } }

    func take() -> RehearsedEngine.Outcome {
        collected.withLock { collected in
            defer { collected.outcome = RehearsedEngine.Outcome() }
            return collected.outcome
        }
    }

    func reduced(_ step: ReactorStep) {
        let mutation = step.mutation()
        collected.withLock { collected in
            let patch = step.patch ?? collected.state.map { step.state.patch(from: $0) } ?? JSONPatch()
            collected.state = step.patch == nil ? step.state : nil
            collected.outcome.mutations.append(mutation)
            collected.outcome.patches.append(patch)
        }
    }

    /// The completion of the request reports the fault too.
    func failed(_: ReactorFault) {}
}
