internal import RxHost
internal import RxJSON
internal import RxPlatform
internal import RxRecords

// Unchecked: used only by its driver, in one call at a time.
/// The turns of a jq reactor's engine: sends requests to the worker, takes its replies, and replaces a worker that has
/// died. Never waits; its driver does.
package final class JqReactorLoop<Platform: EnginePlatform>: @unchecked Sendable {
    /// The most unsent bytes for the worker.
    private static var mostUnwritten: Int { 1 << 18 }

    private let platform: Platform
    private let plan: JqReactorPlan
    private let mailbox: EngineMailbox
    private let reports: RequestReports
    private let executions: ReactorExecutions
    /// The messages of the programs that everybody may read.
    private let texts: OperatorTexts
    /// The program in which a limit ends the worker; nil if the worker has not named one.
    private var lastPlace: ProgramPlace?
    private var state: MirroredState
    private var pending: PendingRequests
    /// The worker process; nil until one is needed.
    package private(set) var worker: Platform.Worker?

    init(
        _ plan: JqReactorPlan, state: JSONValue, mailbox: EngineMailbox, host: any JqReactorHost,
        outlet: any ReactorOutlet, platform: Platform
    ) {
        self.platform = platform
        self.plan = plan
        self.mailbox = mailbox
        reports = RequestReports(mailbox: mailbox, outlet: outlet)
        executions = ReactorExecutions(plan, mailbox: mailbox, host: host)
        texts = OperatorTexts(plan.programs)
        self.state = MirroredState(state, outlet: outlet)
        pending = PendingRequests(wallTime: plan.limits.wallTime)
    }

    // MARK: For the driver

    /// Starts the worker, which compiles the programs before the first action arrives.
    package func begin() { startWorker() }

    /// Handles everything that is there: replies, the deadline, requests. Returns false if the engine has stopped.
    ///
    /// - Parameter workerIsReady: whether the worker may have replied, taken bytes, or ended.
    package func turn(workerIsReady: Bool) -> Bool {
        mailbox.answerProbes()
        if workerIsReady { hear() }
        if let deadline = pending.deadline, platform.now >= deadline {
            worker?.end()
            lose(ReactorFault(.limit, "took longer than \(plan.limits.wallTime.rxText)"))
        }
        guard takeRequests() else { return false }
        fill()
        return true
    }

    /// Returns whether there are no new requests, so that the driver may wait until it is woken, the worker is ready,
    /// or the deadline has come. Call `wakeUp` after the wait.
    package func fallAsleep() -> Bool { mailbox.fallAsleep() }

    package func wakeUp() { mailbox.wakeUp() }

    /// The time until a turn is due even if nothing else happens; nil if there is no deadline.
    package var timeLeft: Duration? { pending.deadline.map { $0 - platform.now } }

    // MARK: Requests

    /// Takes all requests from the mailbox. Returns false if one of them has stopped the engine.
    private func takeRequests() -> Bool {
        let (requests, lost) = mailbox.take()
        if lost > 0 { reports.fail(ReactorFault(.merge, "\(lost) elements are lost: too many waited")) }
        for (index, request) in requests.enumerated() {
            if case .stop(let completion) = request {
                stop(completion, requests[(index + 1)...])
                return false
            }
            pending.append(request)
        }
        return true
    }

    // MARK: Sending

    private func startWorker() {
        do {
            let worker = try platform.startWorker(executable: plan.executable, limits: plan.limits)
            self.worker = worker
            worker.send(.setup(plan.programs, state: state.value, stateBytes: plan.stateBytes))
            worker.flush()
            pending.beginSetup(at: platform.now)
        } catch {
            let fault = ReactorFault(.limit, "no worker can be started: \(SystemErrorName.text(of: error.code))")
            if let request = pending.popFirst() { reports.fail(request, fault) }
        }
    }

    /// Sends requests up to the limits.
    private func fill() {
        while worker == nil, pending.areWaiting { startWorker() }
        guard pending.areWaiting, let worker else { return }
        let wasIdle = pending.isIdle
        while worker.waitingBytes < Self.mostUnwritten, var request = pending.nextToSend() {
            if case .state(let merge, nil) = request {
                request = .state(merge: merge, mailbox.takeState(merge: merge) ?? .null)
            }
            if let question = request.question { worker.send(question) }
            pending.sent(request)
        }
        worker.flush()
        finishExecutionEnds()
        if wasIdle { pending.restartClock(at: platform.now) }
    }

    // MARK: Replies

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
            case .renewed where !pending.isSettingUp: forgetWorker()
            case .renewed, .time, .memory, .aborted, .signal, .status, .malformed: lose(error.fault(plan.limits))
            }
        }
    }

    private func take(_ reply: WorkerReply) throws(WorkerEnd) {
        guard let request = pending.current else {
            // The reply to a setup.
            if case .fault(let fault) = reply {
                worker?.end()
                lose(ReactorFault(.limit, fault.message, isPublic: false))
            } else {
                finishCurrent()
            }
            return
        }
        switch reply {
        case .step(let mutation, let patch): try state.reduce(mutation, patch, of: request)
        case .execution(let rule, let input):
            if let progress = request.progress { executions.start(rule, input, for: progress) }
        case .refusal(let place, let text):
            request.progress?.note(.refusal(text, at: place))
        case .fault(let fault):
            reports.note(
                ReactorFault(
                    fault.stage.reactorStage, fault.message, input: fault.input, at: fault.place,
                    isPublic: !fault.isThrown || texts.contains(fault.message)),
                of: request)
        case .place(let place):
            lastPlace = place
        case .done:
            finishCurrent()
        }
    }

    private func finishCurrent() {
        let request = pending.current
        pending.finishCurrent()
        if let request { reports.finish(request) }
        finishExecutionEnds()
        pending.restartClock(at: platform.now)
    }

    /// Finishes the next requests in flight as long as they are ends of executions.
    private func finishExecutionEnds() {
        while let (fault, progress) = pending.popExecutionEnd() {
            let request = EngineRequest.executionEnded(nil, progress)
            if let fault { reports.note(fault, of: request) }
            reports.finish(request)
        }
    }

    // MARK: Losing a worker

    /// The current request killed the worker; resends the rest to a new one.
    private func lose(_ fault: ReactorFault) {
        let culprit = pending.popCulprit()
        var fault = fault
        fault.place = lastPlace ?? culprit?.place
        forgetWorker()
        guard let culprit else {
            fault.stage = .limit
            return reports.fail(fault)
        }
        reports.fail(culprit, fault)
    }

    private func forgetWorker() {
        worker = nil
        lastPlace = nil
        pending.sendAgain()
    }

    // MARK: End

    /// - Parameter later: requests that were taken from the mailbox together with the one to stop, and come after it.
    private func stop(_ completion: @Sendable () -> Void, _ later: ArraySlice<EngineRequest>) {
        worker?.end()
        executions.cancel()
        // The worker's replies to the first request may have been taken in part. None to the others has been.
        if let current = pending.current {
            pending.finishCurrent()
            current.progress?.abandon(.stopping)
        }
        var unfinished: [EngineRequest] = []
        while let request = pending.popFirst() { unfinished.append(request) }
        for request in unfinished + later + mailbox.close() {
            request.progress?.abandon(request.isAction ? .notBegun : .stopping)
        }
        mailbox.answerProbes()
        executions.abandon(.stopping)
        completion()
    }
}
