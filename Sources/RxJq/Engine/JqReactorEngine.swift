package import RxRecords
internal import Rx
package import RxHost
package import RxJSON
package import RxPlatform

// A reactor of jq programs. The engine runs here and in turns (JqReactorLoop), which a driver takes on a thread of its
// own (EngineThread); the programs run in a worker process.
//
//     dispatch -> EngineMailbox -> JqReactorLoop -> WorkerProcess: rules, reduce -> patches -> JqReactorLoop -> outlet
//
// Everything outside the process's memory is behind EnginePlatform: a simulation runs engines in one thread.
//
// Reading order: JqReactorPlan, EngineRequest, DispatchProgress, EngineMailbox; JqReactorLoop and what it owns
// (PendingRequests, RequestReports, MirroredState, ReactorExecutions); EnginePlatform, SystemEnginePlatform,
// EngineThread; JqReactorHost; then JqWorker.

/// Runs a reactor of jq programs.
package final class JqReactorEngine<Platform: EnginePlatform>: ReactorEngine {
    private let plan: JqReactorPlan
    private let host: any JqReactorHost
    private let mailbox: EngineMailbox
    private let life = Locked(Life.new)
    private let platform: Platform
    private let driver: Platform.Driver

    private enum Life {
        case new
        case running(sources: [any Disposable])
        case stopped
    }

    package init(_ plan: JqReactorPlan, host: any JqReactorHost, platform: Platform) {
        self.plan = plan
        self.host = host
        self.platform = platform
        let driver = platform.makeDriver()
        self.driver = driver
        mailbox = EngineMailbox(wake: { driver.wake() })
    }

    package func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        let state = kept ?? plan.initial
        guard state.bytes(upTo: plan.stateBytes + 1) <= plan.stateBytes else {
            throw ReactorFault(.restore, "the state is longer than \(plan.stateBytes) bytes")
        }
        try driver.start(
            JqReactorLoop(plan, state: state, mailbox: mailbox, host: host, outlet: outlet, platform: platform))
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
        if !mailbox.post(.action(DispatchProgress(input, completion: completion))) { completion(.notBegun) }
    }

    package func replay(_ mutation: RawJSON) throws(ReactorFault) {
        let answered = platform.makeSignal()
        let result = Locked<ReactorFault?>(nil)
        let progress = DispatchProgress(ReactorInput(mutation, by: .host)) { fault in
            result.withLock { $0 = fault }
            answered.send()
        }
        let isTaken = mailbox.post(.replay(progress))
        guard isTaken else { throw .stopping }
        answered.wait(until: nil)
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

    package func probe(_ answer: @escaping @Sendable () -> Void) {
        mailbox.probe(answer)
    }
}

extension JqReactorEngine where Platform == SystemEnginePlatform {
    /// Creates an engine with a thread and a worker process, whose time is limited by `clock`.
    package convenience init(_ plan: JqReactorPlan, host: any JqReactorHost, clock: MonotonicClock) {
        self.init(plan, host: host, platform: SystemEnginePlatform(clock: clock))
    }
}
