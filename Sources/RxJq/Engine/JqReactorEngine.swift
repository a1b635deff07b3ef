internal import RxLoop
package import RxRecords
internal import Dispatch
internal import Glibc
internal import Rx
package import RxHost
package import RxJSON

// A reactor of jq programs. The engine runs here and on its own thread (JqReactorLoop); the programs run in a worker
// process.
//
//     dispatch -> EngineMailbox -> JqReactorLoop -> WorkerProcess: rules, reduce -> patches -> JqReactorLoop -> outlet
//
// The thread waits for its worker, and nothing waits for the thread. A worker dies with the thread that started it.
//
// Reading order: JqReactorPlan, EngineRequest, DispatchProgress, EngineMailbox; JqReactorLoop and what it owns
// (PendingRequests, RequestReports, MirroredState, ReactorExecutions); JqReactorHost; then JqWorker.

/// Runs a reactor of jq programs.
package final class JqReactorEngine: ReactorEngine {
    private let plan: JqReactorPlan
    private let host: any JqReactorHost
    private let mailbox = EngineMailbox()
    private let life = Locked(Life.new)

    private enum Life {
        case new
        case running(sources: [any Disposable])
        case stopped
    }

    package init(_ plan: JqReactorPlan, host: any JqReactorHost) {
        self.plan = plan
        self.host = host
    }

    package func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        let state = kept ?? plan.initial
        guard state.bytes(upTo: plan.stateBytes + 1) <= plan.stateBytes else {
            throw ReactorFault(.restore, "the state is longer than \(plan.stateBytes) bytes")
        }
        let loop = JqReactorLoop(plan, state: state, mailbox: mailbox, host: host, outlet: outlet)
        try start(loop)
        let sources = plan.sources.enumerated().map { [mailbox, host] merge, source in
            switch source {
            case .action(let name):
                host.elements(of: name) { mailbox.post(.merged(merge, $0)) }
            case .reactor(let name):
                host.states(of: name) { mailbox.post(state: $0, merge: merge) }
            }
        }
        life.withLock { $0 = .running(sources: sources) }
        return JSONState(state)
    }

    package func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        if !mailbox.post(.action(DispatchProgress(input, completion: completion))) { completion(.stopping) }
    }

    package func replay(_ mutation: RawJSON) throws(ReactorFault) {
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

    package func stop(completion: @escaping @Sendable () -> Void) {
        let before = life.withLock { life in
            defer { life = .stopped }
            return life
        }
        switch before {
        case .running(let sources):
            for source in sources { source.dispose() }
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
        guard code == 0 else {
            throw ReactorFault(.restore, "no thread can be started: \(SystemErrorName.text(of: code))")
        }
        pthread_detach(thread)
    }
}
