internal import RxLoop
internal import RxRecords
internal import Glibc
internal import RxHost
internal import RxJSON

// Used by a single thread while it runs.
/// The thread of a jq reactor's engine. Sends requests to the worker, applies its patches, and replaces a worker that
/// has died.
final class JqReactorLoop {
    /// The most requests in flight, so that the worker need not wait for the next one. Requests after one that kills
    /// the worker are sent again.
    static let mostInFlight = 64
    /// The most unsent bytes for the worker.
    static let mostUnwritten = 1 << 18

    private enum InFlight {
        case setup
        case request(EngineRequest)
    }

    private let plan: JqReactorPlan
    private let mailbox: EngineMailbox
    private let host: any JqReactorHost
    private let outlet: any ReactorOutlet
    private var state: JSONValue
    private var worker: WorkerProcess?
    private var waiting = Line<EngineRequest>()
    private var inFlight = Line<InFlight>()
    /// The deadline of the first request in flight.
    private var deadline: ContinuousClock.Instant?
    /// The executions started by dispatches, kept for cancellation.
    private var executions: [Int: (progress: DispatchProgress, cancel: JqReactorHost.Cancel)] = [:]
    private var executionCount = 0
    private var mostExecutions = mostInFlight

    init(
        _ plan: JqReactorPlan, state: JSONValue, mailbox: EngineMailbox, host: any JqReactorHost,
        outlet: any ReactorOutlet
    ) {
        self.plan = plan
        self.state = state
        self.mailbox = mailbox
        self.host = host
        self.outlet = outlet
    }

    func run() {
        // Compiles the programs before the first action arrives.
        startWorker()
        while true {
            let (requests, lost) = mailbox.take()
            if lost > 0 { outlet.failed(ReactorFault(.merge, "\(lost) elements are lost: too many waited")) }
            for request in requests {
                if case .stop(let completion) = request { return stop(completion) }
                waiting.append(request)
            }
            fill()
            wait()
        }
    }

    private func wait() {
        var descriptors = [pollfd(fd: mailbox.readEnd, events: Int16(POLLIN), revents: 0)]
        if let worker {
            let events = worker.waitingBytes > 0 ? POLLIN | POLLOUT : POLLIN
            descriptors.append(pollfd(fd: worker.descriptor, events: Int16(events), revents: 0))
        }
        let isAsleep = mailbox.fallAsleep()
        let count = poll(&descriptors, nfds_t(descriptors.count), isAsleep ? timeout : 0)
        if isAsleep { mailbox.wakeUp() }
        if count > 0, descriptors.count > 1, descriptors[1].revents != 0 { hear() }
        if let deadline, ContinuousClock.now >= deadline {
            worker?.end()
            lose("took longer than \(plan.limits.wallTime.rxText)")
        }
    }

    /// The poll timeout in milliseconds; -1 for none.
    private var timeout: Int32 {
        guard let deadline else { return -1 }
        let left = (deadline - ContinuousClock.now).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        return Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
    }

    // MARK: Sending

    private func startWorker() {
        do {
            let worker = try WorkerProcess(executable: plan.executable, limits: plan.limits)
            self.worker = worker
            worker.send(.setup(plan.programs, state: state, stateBytes: plan.stateBytes))
            inFlight.append(.setup)
            worker.flush()
            startClock()
        } catch {
            let fault = ReactorFault(.limit, "no worker can be started: \(SystemErrorName.text(of: error.code))")
            if let request = waiting.popFirst() { fail(request, fault) }
        }
    }

    /// Sends requests up to the limits.
    private func fill() {
        guard !waiting.isEmpty else { return }
        while worker == nil, !waiting.isEmpty { startWorker() }
        guard let worker else { return }
        let wasIdle = inFlight.isEmpty
        while inFlight.count < Self.mostInFlight, worker.waitingBytes < Self.mostUnwritten,
            var request = waiting.popFirst()
        {
            if case .state(let merge, nil) = request {
                request = .state(merge: merge, mailbox.takeState(merge: merge) ?? .null)
            }
            if let question = question(request) { worker.send(question) }
            inFlight.append(.request(request))
        }
        worker.flush()
        finishWhatIsSaid()
        if wasIdle { startClock() }
    }

    /// The worker request for an engine request; nil if that only holds a position in the order.
    private func question(_ request: EngineRequest) -> WorkerRequest? {
        switch request {
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

    private func startClock() {
        deadline = inFlight.isEmpty ? nil : ContinuousClock.now + plan.limits.wallTime
    }

    // MARK: Hearing

    private func hear() {
        guard let worker else { return }
        if worker.waitingBytes > 0 { worker.flush() }
        do {
            try worker.receive()
            // Until a reply causes a new worker.
            while self.worker === worker, let reply = try worker.next() { try take(reply) }
        } catch {
            worker.end()
            switch error {
            case .renewed where inFlight.first.map { if case .setup = $0 { false } else { true } } ?? true:
                forgetWorker()
            case .renewed: lose("its worker does not get on")
            case .time: lose("took longer than \(plan.limits.processorTime.rxText) of the processor")
            case .memory: lose("took more than \(plan.limits.memory >> 20) MiB of memory")
            case .aborted(let stage): lose("jq aborted", stage)
            case .signal(let number): lose("its worker was ended by signal \(number)")
            case .status(let status): lose("its worker ended with status \(status)")
            case .malformed: lose("its worker said what cannot be understood")
            }
        }
    }

    private func take(_ reply: WorkerReply) throws(WorkerProcess.End) {
        guard case .request(let request) = inFlight.first else {
            // The reply to a setup.
            if case .fault(_, let message, _) = reply {
                worker?.end()
                lose(message)
            } else {
                inFlight.removeFirst()
                finishWhatIsSaid()
                startClock()
            }
            return
        }
        switch reply {
        case .step(let mutation, let patch):
            do {
                try patch.apply(to: &state)
            } catch {
                throw .malformed
            }
            outlet.reduced(
                ReactorStep(
                    input: request.input, mutation: { mutation }, state: JSONState(state), patch: patch,
                    isRepeatable: request.isAction))
        case .execution(let rule, let input):
            if let progress = request.progress { execute(rule, input, progress) }
        case .fault(let stage, let message, let input):
            tell(ReactorFault(stage.stage, message, input: input), of: request)
        case .done:
            inFlight.removeFirst()
            finish(request)
            finishWhatIsSaid()
            startClock()
        }
    }

    /// Finishes the requests in flight that only hold their position in the order.
    private func finishWhatIsSaid() {
        while case .request(.executionEnded(let fault, let progress)) = inFlight.first {
            inFlight.removeFirst()
            if let fault { tell(fault, of: .executionEnded(nil, progress)) }
            finish(.executionEnded(nil, progress))
        }
    }

    private func tell(_ fault: ReactorFault, of request: EngineRequest) {
        request.progress?.note(fault)
        // The result of a replay goes only to the replaying caller.
        if case .replay = request { return }
        outlet.failed(fault)
    }

    private func fail(_ request: EngineRequest, _ fault: ReactorFault) {
        var fault = fault
        if fault.input == nil { fault.input = request.shown }
        tell(fault, of: request)
        finish(request)
    }

    private func finish(_ request: EngineRequest) {
        switch request {
        case .action(let progress), .failure(_, _, let progress), .executionEnded(_, let progress),
            .replay(let progress):
            progress.finishPart()
        case .element, .merged: mailbox.elementIsDone()
        case .state, .stop: break
        }
    }

    // MARK: Losing a worker

    /// The current request killed the worker; resends the rest to a new one.
    private func lose(_ message: String, _ stage: WorkerStage? = nil) {
        var culprit = inFlight.popFirst()
        // If the worker died during its setup, the first request in line gets the error; later ones try a new worker.
        if case .setup = culprit { culprit = inFlight.popFirst() ?? waiting.popFirst().map(InFlight.request) }
        forgetWorker()
        guard case .request(let request) = culprit else {
            outlet.failed(ReactorFault(.limit, message))
            return
        }
        fail(request, ReactorFault(stage?.stage ?? .limit, message))
    }

    private func forgetWorker() {
        worker = nil
        deadline = nil
        var again: [EngineRequest] = []
        while let entry = inFlight.popFirst() {
            if case .request(let request) = entry { again.append(request) }
        }
        waiting.prepend(again)
    }

    // MARK: Executions

    private func execute(_ rule: Int, _ input: RawJSON, _ progress: DispatchProgress) {
        guard let name = plan.actions.indices.contains(rule) ? plan.actions[rule] : nil else { return }
        let hasFailure = plan.programs.rules[rule].failure != nil
        let hasElement = plan.programs.rules[rule].element != nil
        progress.begin()
        executionCount += 1
        let mailbox = mailbox
        if executions.count > mostExecutions {
            // Ended executions are removed only after as many new ones have been added.
            executions = executions.filter { !$0.value.progress.isFinished }
            mostExecutions = 2 * max(Self.mostInFlight, executions.count)
        }
        let cancel = host.execute(
            name, input: input, by: progress.input.by,
            onElement: { element in
                if hasElement { mailbox.post(.element(rule: rule, element, progress)) }
            },
            onEnd: { error in
                switch (error, hasFailure) {
                case (let error?, true): mailbox.post(.failure(rule: rule, error, progress))
                case (let error?, false):
                    let fault = ReactorFault(.mutate, "the execution of \(name) failed", input: error)
                    mailbox.post(.executionEnded(fault, progress))
                case (nil, _): mailbox.post(.executionEnded(nil, progress))
                }
            })
        executions[executionCount] = (progress, cancel)
    }

    // MARK: End

    private func stop(_ completion: @Sendable () -> Void) {
        worker?.end()
        for execution in executions.values where !execution.progress.isFinished { execution.cancel() }
        var unfinished: [EngineRequest] = []
        while let entry = inFlight.popFirst() {
            if case .request(let request) = entry { unfinished.append(request) }
        }
        while let request = waiting.popFirst() { unfinished.append(request) }
        for request in unfinished + mailbox.close() {
            request.progress?.abandon(.stopping)
        }
        for execution in executions.values { execution.progress.abandon(.stopping) }
        completion()
    }
}

extension EngineRequest {
    /// The dispatch that the request belongs to; nil if there is none.
    var progress: DispatchProgress? {
        switch self {
        case .action(let progress), .element(_, _, let progress), .failure(_, _, let progress),
            .executionEnded(_, let progress), .replay(let progress):
            progress
        case .merged, .state, .stop: nil
        }
    }

    /// Whether its mutations come directly from rules.
    fileprivate var isAction: Bool {
        if case .action = self { true } else { false }
    }

    /// The action that the resulting mutations are attributed to, if any.
    fileprivate var input: ReactorInput? {
        if case .replay = self { nil } else { progress?.input }
    }

    /// The most bytes of an input in a fault.
    private static let mostShown = 16_384

    /// The input that failed.
    fileprivate var shown: RawJSON? {
        let input: RawJSON? =
            switch self {
            case .action(let progress): progress.input.action
            case .element(_, let value, _), .failure(_, let value, _), .merged(_, let value): value
            case .replay(let progress): progress.input.action
            case .state(_, let value): value
            case .executionEnded, .stop: nil
            }
        return input.flatMap { $0.utf8.count <= Self.mostShown ? $0 : nil }
    }
}

extension WorkerStage {
    fileprivate var stage: ReactorFault.Stage {
        switch self {
        case .mutate: .mutate
        case .reduce: .reduce
        case .merge: .merge
        case .setup: .limit
        case .size: .size
        }
    }
}
