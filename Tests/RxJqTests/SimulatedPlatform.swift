import RxHost
import RxJSON

@testable import RxJq

/// Engines, workers, and a clock on the thread of one test. Nothing here waits.
// Unchecked: used on the thread of one test.
final class SimulatedPlatform: EnginePlatform, @unchecked Sendable {
    private static let mostRounds = 10_000

    private(set) var now = Duration.zero
    private(set) var workers: [SimulatedWorker] = []
    private var drivers: [SimulatedDriver] = []
    /// Whether a worker does not reply to this action.
    let hangs: (JSONValue) -> Bool

    init(hangs: @escaping (JSONValue) -> Bool = { _ in false }) {
        self.hangs = hangs
    }

    func startWorker(
        executable: String, limits: JqLimits
    ) throws(WorkerStartError) -> SimulatedWorker {
        let worker = SimulatedWorker(hangs: hangs)
        workers.append(worker)
        return worker
    }

    func makeDriver() -> SimulatedDriver {
        let driver = SimulatedDriver()
        drivers.append(driver)
        return driver
    }

    func makeSignal() -> SimulatedSignal { SimulatedSignal(platform: self) }

    /// Takes turns until no engine has anything to do. Traps if that takes too many, which is a defect of the engine.
    func settle() {
        for _ in 0..<Self.mostRounds {
            guard drivers.reduce(false, { $1.takeTurnIfDue() || $0 }) else { return }
        }
        preconditionFailure("an engine takes turns without end")
    }

    func advance(by duration: Duration) {
        now += duration
        settle()
    }
}

/// Takes the turns of an engine when `SimulatedPlatform` settles.
// Unchecked: see `SimulatedPlatform`.
final class SimulatedDriver: EngineDriver, @unchecked Sendable {
    private var loop: JqReactorLoop<SimulatedPlatform>?
    private var isDue = false

    func start(_ loop: JqReactorLoop<SimulatedPlatform>) throws(ReactorFault) {
        self.loop = loop
        loop.begin()
        isDue = true
    }

    func wake() { isDue = true }

    func takeTurnIfDue() -> Bool {
        guard let loop else { return false }
        let workerIsReady = loop.worker?.isReady ?? false
        let isLate = loop.timeLeft.map { $0 <= .zero } ?? false
        guard isDue || workerIsReady || isLate else { return false }
        loop.wakeUp()
        if loop.turn(workerIsReady: workerIsReady) {
            isDue = !loop.fallAsleep()
        } else {
            self.loop = nil
        }
        return true
    }
}

/// A signal whose wait settles the platform.
struct SimulatedSignal: EngineSignal {
    let platform: SimulatedPlatform

    func send() {}
    func wait(until deadline: Duration?) { platform.settle() }
}

/// A worker that appends each action, or replayed mutation, to the state, which is an array.
final class SimulatedWorker: WorkerConnection {
    private let hangs: (JSONValue) -> Bool
    private var requests: [WorkerRequest] = []
    private var replies: [WorkerReply] = []
    private var isStuck = false
    private var state = JSONValue.null
    private(set) var isEnded = false

    init(hangs: @escaping (JSONValue) -> Bool) {
        self.hangs = hangs
    }

    var isReady: Bool { !replies.isEmpty }
    let waitingBytes = 0

    func send(_ request: WorkerRequest) { requests.append(request) }

    func flush() {
        for request in requests where !isStuck { reply(to: request) }
        requests = []
    }

    func receive() throws(WorkerEnd) {}

    func next() throws(WorkerEnd) -> WorkerReply? { replies.isEmpty ? nil : replies.removeFirst() }

    func end() { isEnded = true }

    private func reply(to request: WorkerRequest) {
        switch request {
        case .setup(_, let state, _): self.state = state
        case .action(let value) where hangs(value.value()):
            isStuck = true
            return
        case .action(let value), .replay(let value), .element(_, _, let value), .failure(_, _, let value),
            .merge(_, _, let value):
            let next = JSONValue.array((state.array ?? []) + [value.value()])
            replies.append(.step(mutation: value, JSONPatch(from: state, to: next)))
            state = next
        }
        replies.append(.done)
    }
}
