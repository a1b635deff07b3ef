internal import RxJSON
internal import RxPlatform
internal import RxStreams

/// One call of an evaluator: which inputs go into which request, and which input is to blame if a worker ends.
struct StreamRun {
    /// The inputs in a row that may end their workers for reasons outside the program (killed, silent, malformed)
    /// before the rest of the call fails for the same reason, so that a broken installation does not take minutes.
    static let mostUnexplained = 3

    private let program: StreamProgram
    private let inputs: [ProgramInput]
    private let start: () throws(WorkerStartError) -> StreamWorker
    private var done: [ProgramResult] = []
    /// The worker; nil if it has ended or is not started yet.
    private(set) var worker: StreamWorker?
    /// The input, or the program, that was being worked on when a worker ended, and that is repeated.
    private var suspect: Suspect?
    /// The number of inputs that are sent one by one.
    private var alone = 0
    private var unexplained = 0

    private enum Suspect: Equatable {
        case program
        case input(Int)
    }

    init(
        _ program: StreamProgram, _ inputs: [ProgramInput], worker: StreamWorker?,
        start: @escaping () throws(WorkerStartError) -> StreamWorker
    ) {
        self.program = program
        self.inputs = inputs
        self.worker = worker
        self.start = start
        done.reserveCapacity(inputs.count)
    }

    /// Runs the program on all inputs.
    mutating func results(_ limits: JqLimits) -> [ProgramResult] {
        while done.count < inputs.count {
            if let fault = inputs[done.count].fault {
                done.append(.failed(fault))
                continue
            }
            do throws(StreamWorkerFailure) {
                try runNext()
            } catch {
                worker = nil
                attribute(error, limits)
            }
        }
        return done
    }

    private mutating func runNext() throws(StreamWorkerFailure) {
        let worker: StreamWorker
        if let current = self.worker {
            worker = current
        } else {
            do { worker = try start() } catch {
                return failRest("its worker cannot be started: \(SystemErrorName.text(of: error.code))")
            }
            self.worker = worker
        }
        let before = done.count
        try worker.run(program, on: nextInputs(), &done)
        alone = max(0, alone - (done.count - before))
        unexplained = 0
    }

    private func nextInputs() -> ArraySlice<ProgramInput> {
        let first = done.count
        if alone > 0 { return inputs[first...first] }
        var end = first
        var bytes = 0
        while end < inputs.count, end - first < StreamRequest.mostInputs {
            let input = inputs[end]
            bytes += input.byteCount
            guard end == first || bytes <= StreamRequest.mostBytes && input.fault == nil else { break }
            end += 1
        }
        return inputs[first..<end]
    }

    /// Decides what fails because a worker has ended, and how the rest is repeated.
    private mutating func attribute(_ failure: StreamWorkerFailure, _ limits: JqLimits) {
        // All inputs had their results.
        guard done.count < inputs.count else { return }
        switch failure {
        case .compiling(.time): failRest(WorkerEnd.time.message(limits))
        case .compiling(let end):
            if suspect == .program { return failRest(end.message(limits)) }
            suspect = .program
        // The time is that of the first input without a result.
        case .ended(.time):
            fail(WorkerEnd.time.message(limits))
            unexplained = 0
        // The worker has sent all complete results before it ended.
        case .ended(.memory), .ended(.aborted): suspectFirst(failure, limits, alone: 1)
        // Results may be lost.
        case .ended(.signal), .ended(.malformed), .stuck:
            suspectFirst(failure, limits, alone: inputs.count - done.count)
        // It has ended before the request. A process that ends again and again is not a worker.
        case .ended(.renewed): suspectFirst(failure, limits, alone: 0)
        case .ended(.status(let status)): failRest(WorkerEnd.status(status).message(limits))
        }
    }

    private mutating func suspectFirst(_ failure: StreamWorkerFailure, _ limits: JqLimits, alone: Int) {
        guard suspect == .input(done.count) else {
            suspect = .input(done.count)
            self.alone = max(self.alone, alone)
            return
        }
        let message: String
        switch failure {
        case .ended(let end), .compiling(let end): message = end.message(limits)
        case .stuck: message = "gave no result within \(limits.wallTime.rxText)"
        }
        switch failure {
        case .ended(.memory), .ended(.aborted): unexplained = 0
        case .ended, .compiling, .stuck: unexplained += 1
        }
        if unexplained == Self.mostUnexplained { return failRest(message) }
        fail(message)
    }

    /// Fails the first input without a result; those after it go together again.
    private mutating func fail(_ message: String) {
        done.append(.failed(message))
        suspect = nil
        alone = 0
    }

    private mutating func failRest(_ message: String) {
        while done.count < inputs.count { done.append(.failed(message)) }
    }
}
