internal import Rx
internal import RxHost

/// The unfinished requests of an engine, in order: those that the worker has, with the deadline of the first, and then
/// those that wait.
struct PendingRequests {
    /// The most requests in flight, so that the worker need not wait for the next one. Requests after one that kills
    /// the worker are sent again.
    static let mostInFlight = 64

    private enum InFlight {
        /// The setup of a new worker.
        case setup
        case request(EngineRequest)
    }

    private let wallTime: Duration
    private var waiting = Queue<EngineRequest>()
    private var inFlight = Queue<InFlight>()
    /// The deadline of the first request in flight, by the platform's clock; nil if none is.
    private(set) var deadline: Duration?

    /// - Parameter wallTime: the most time for one request.
    init(wallTime: Duration) {
        self.wallTime = wallTime
    }

    /// Whether requests wait to be sent.
    var areWaiting: Bool { !waiting.isEmpty }
    /// Whether the worker has nothing to do.
    var isIdle: Bool { inFlight.isEmpty }
    /// The request that the worker processes now; nil during its setup.
    var current: EngineRequest? {
        if case .request(let request) = inFlight.first { request } else { nil }
    }
    /// Whether the worker is being set up.
    var isSettingUp: Bool {
        if case .setup = inFlight.first { true } else { false }
    }

    mutating func append(_ request: EngineRequest) { waiting.append(request) }

    // MARK: In flight

    /// Records that a new worker has been sent its setup.
    mutating func beginSetup(at now: Duration) {
        inFlight.append(.setup)
        restartClock(at: now)
    }

    /// Returns the next request to send; nil if none waits, or if as many as permitted are in flight. The caller passes
    /// it to `sent`.
    mutating func nextToSend() -> EngineRequest? {
        inFlight.count < Self.mostInFlight ? waiting.removeFirst() : nil
    }

    mutating func sent(_ request: EngineRequest) { inFlight.append(.request(request)) }

    /// Removes the request, or the setup, that the worker has finished.
    mutating func finishCurrent() { inFlight.removeFirst() }

    /// Removes and returns the end of an execution if that comes next; it only held its position in the order.
    mutating func popExecutionEnd() -> (fault: ReactorFault?, progress: DispatchProgress)? {
        guard case .request(.executionEnded(let fault, let progress)) = inFlight.first else { return nil }
        inFlight.removeFirst()
        return (fault, progress)
    }

    /// Gives the first request in flight its whole time.
    mutating func restartClock(at now: Duration) {
        deadline = inFlight.isEmpty ? nil : now + wallTime
    }

    // MARK: Without a worker

    /// Removes and returns the request that killed the worker, if there is one.
    mutating func popCulprit() -> EngineRequest? {
        switch inFlight.removeFirst() {
        case .request(let request): return request
        // The worker died during its setup: the first request in line gets the error; later ones try a new worker.
        case .setup: return popFirst()
        case nil: return nil
        }
    }

    /// Moves the requests in flight back to the front of those that wait, for a new worker.
    mutating func sendAgain() {
        deadline = nil
        waiting.prepend(popInFlight())
    }

    /// Removes and returns the first request.
    mutating func popFirst() -> EngineRequest? {
        while let entry = inFlight.removeFirst() {
            if case .request(let request) = entry { return request }
        }
        return waiting.removeFirst()
    }

    private mutating func popInFlight() -> [EngineRequest] {
        var requests: [EngineRequest] = []
        while let entry = inFlight.removeFirst() {
            if case .request(let request) = entry { requests.append(request) }
        }
        return requests
    }
}
