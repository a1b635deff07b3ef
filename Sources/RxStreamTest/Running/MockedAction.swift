internal import Rx
internal import RxAction
internal import RxJSON
internal import RxStreams

/// A request to execute a mocked action.
// Unchecked: a test runs on one thread.
final class MockedRequest: @unchecked Sendable {
    /// What the requester learns.
    enum Event {
        case element(RawJSON)
        case success
        case failure(StepFailure)
    }

    let input: RawJSON
    let receive: (Event) -> Void

    init(_ input: RawJSON, _ receive: @escaping (Event) -> Void) {
        self.input = input
        self.receive = receive
    }
}

/// An action whose executions go as the test has it, under the rules of its overlap.
// Unchecked: a test runs on one thread.
final class MockedAction: @unchecked Sendable {
    /// What became of a request.
    enum Admission {
        case started, queued, joined
        case refused(String)
    }

    private let name: String
    private let overlap: Overlap
    private let outcomes: [MockOutcome]
    private unowned let clock: TestClock
    private let publish: (_ channel: String, _ event: RawJSON) -> Void
    private var executions = 0
    private var inFlight: [MockedExecution] = []
    private var waiting: [MockedRequest] = []
    /// Called when there is room in the queue again.
    var hasRoom: [() -> Void] = []

    /// - Parameter publish: receives the events of executions.
    init(
        _ name: String, _ overlap: Overlap, _ outcomes: [MockOutcome], _ clock: TestClock,
        publish: @escaping (_ channel: String, _ event: RawJSON) -> Void
    ) {
        self.name = name
        self.overlap = overlap
        self.outcomes = outcomes
        self.clock = clock
        self.publish = publish
    }

    /// Whether another input would be refused because the queue is full.
    var isFull: Bool {
        if case .queue(let limit, let parallel) = overlap {
            inFlight.count >= parallel && waiting.count >= limit
        } else {
            false
        }
    }

    func take(_ request: MockedRequest) -> Admission {
        switch overlap {
        case .reject: return inFlight.isEmpty ? start(request) : .refused("notEnabled")
        case .concurrent(let limit): return inFlight.count < limit ? start(request) : .refused("notEnabled")
        case .queue(_, let parallel):
            if inFlight.count < parallel { return start(request) }
            if isFull { return .refused("queueFull") }
            waiting.append(request)
            return .queued
        case .latest:
            for execution in inFlight { cancel(execution) }
            return start(request)
        case .join:
            guard let execution = inFlight.first else { return start(request) }
            execution.requests.append(request)
            return .joined
        }
    }

    /// Withdraws a request. Nobody wants its execution any more.
    func cancel(_ request: MockedRequest) {
        waiting.removeAll { $0 === request }
        for execution in inFlight {
            execution.requests.removeAll { $0 === request }
            if execution.requests.isEmpty { cancel(execution) }
        }
    }

    private func start(_ request: MockedRequest) -> Admission {
        let outcome = outcomes[min(executions, outcomes.count - 1)]
        executions += 1
        if case .refused(let name) = outcome.result { return .refused(name) }
        let execution = MockedExecution(executions, outcome, request)
        inFlight.append(execution)
        execution.alarm = clock.after(outcome.takes) { [weak self] in self?.end(execution) }
        return .started
    }

    private func end(_ execution: MockedExecution) {
        inFlight.removeAll { $0 === execution }
        switch execution.outcome.result {
        case .elements(let elements):
            for element in elements {
                for request in execution.requests { request.receive(.element(element)) }
                publish("elements", event(execution, "elements", "value", element))
            }
            for request in execution.requests { request.receive(.success) }
        case .error(let error): fail(execution, error)
        case .refused: break
        }
        next()
    }

    private func cancel(_ execution: MockedExecution) {
        execution.alarm?.dispose()
        inFlight.removeAll { $0 === execution }
        let failure = StepFailure(
            name: "cancelled", message: "cancelled", error: RawJSON(["name": "cancelled"]), mayPass: false)
        for request in execution.requests { request.receive(.failure(failure)) }
        next()
    }

    private func fail(_ execution: MockedExecution, _ facts: RawJSON) {
        let facts = facts.value().object ?? [:]
        let failure = StepFailure(mocked: facts)
        for request in execution.requests { request.receive(.failure(failure)) }
        publish("errors", event(execution, "errors", "error", failure.error))
    }

    private func next() {
        if !waiting.isEmpty, inFlight.count < overlap.width { _ = start(waiting.removeFirst()) }
        if !isFull { for resume in hasRoom { resume() } }
    }

    private func event(_ execution: MockedExecution, _ channel: String, _ key: String, _ value: RawJSON) -> RawJSON {
        var event = JSONObject([
            ("action", .string(name)), ("execution", .string("\(name)-\(execution.number)")),
            ("channel", .string(channel)), ("time", .string(clock.nowText)),
        ])
        if channel == "errors" { event["input"] = execution.requests.first?.input.value() }
        event[key] = value.value()
        return RawJSON(.object(event))
    }
}

private final class MockedExecution {
    let number: Int
    let outcome: MockOutcome
    var requests: [MockedRequest]
    var alarm: (any Disposable)?

    init(_ number: Int, _ outcome: MockOutcome, _ request: MockedRequest) {
        self.number = number
        self.outcome = outcome
        requests = [request]
    }
}
