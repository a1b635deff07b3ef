internal import RxRecords
internal import Dispatch
internal import Glibc
internal import Rx
internal import RxHost
internal import RxJSON

// A reactor of jq programs: its engine here and on a thread of its own (JqReactorLoop), its programs in a worker process.
//
//     dispatch -> EngineMailbox -> JqReactorLoop -> WorkerProcess: rules, reduce -> patches -> JqReactorLoop -> outlet
//
// The thread waits for its worker and nobody waits for the thread; a worker dies with the thread that started it.
//
// Read: JqReactorPlan, EngineRequest, EngineMailbox, JqReactorLoop, ReactorSurroundings; then JqWorker.

/// Runs a reactor of jq programs.
final class JqReactorEngine: ReactorEngine {
    private let plan: JqReactorPlan
    private let surroundings: any ReactorSurroundings
    private let mailbox = EngineMailbox()
    private let life = Locked(Life.new)

    private enum Life {
        case new
        case running([ReactorSurroundings.Cancel])
        case stopped
    }

    init(_ plan: JqReactorPlan, surroundings: any ReactorSurroundings) {
        self.plan = plan
        self.surroundings = surroundings
    }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        let state = kept ?? plan.initial
        guard state.bytes(upTo: plan.stateBytes + 1) <= plan.stateBytes else {
            throw ReactorFault(.restore, "the state is longer than \(plan.stateBytes) bytes")
        }
        let loop = JqReactorLoop(plan, state: state, mailbox: mailbox, surroundings: surroundings, outlet: outlet)
        try start(loop)
        let cancels = plan.sources.enumerated().map { [mailbox, surroundings] merge, source in
            switch source {
            case .action(let name):
                surroundings.elements(of: name) { mailbox.post(.merged(merge, $0)) }
            case .reactor(let name):
                surroundings.states(of: name) { mailbox.post(state: $0, merge: merge) }
            }
        }
        life.withLock { $0 = .running(cancels) }
        return JSONState(state)
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        if !mailbox.post(.action(DispatchProgress(input, completion: completion))) { completion(.stopping) }
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {
        let answered = DispatchSemaphore(value: 0)
        let result = Locked<ReactorFault?>(nil)
        let progress = DispatchProgress(ReactorInput(mutation, by: .host)) { fault in
            result.withLock { $0 = fault }
            answered.signal()
        }
        let isTaken = mailbox.post(.replay(progress))
        guard isTaken else { throw .stopping }
        answered.wait()
        if let fault = result.withLock({ $0 }) { throw fault }
    }

    func stop(completion: @escaping @Sendable () -> Void) {
        let before = life.withLock { life in
            defer { life = .stopped }
            return life
        }
        switch before {
        case .running(let cancels):
            for cancel in cancels { cancel() }
            mailbox.post(.stop(completion))
        case .new, .stopped:
            completion()
        }
    }

    private func start(_ loop: JqReactorLoop) throws(ReactorFault) {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<JqReactorLoop>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(loop).toOpaque())
        guard code == 0 else { throw ReactorFault(.restore, "no thread can be started: \(errnoText(code))") }
        pthread_detach(thread)
    }
}

extension ReactorFault {
    static let stopping = ReactorFault(.stopped, "the reactor is stopping")
}
