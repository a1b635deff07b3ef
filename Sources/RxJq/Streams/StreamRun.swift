internal import RxJSON
internal import RxPlatform
internal import RxStreams

/// One call of an evaluator: which inputs go into the request, and which input is to blame if a worker ends.
struct StreamRun {
    /// The inputs in a row that may end their workers for reasons outside the program (killed, malformed) before the
    /// rest of the call fails for the same reason, so that a broken installation does not take minutes.
    static let mostUnexplained = 3

    private let program: StreamProgram
    private let inputs: [ProgramInput]
    private let start: () throws(WorkerStartError) -> StreamWorker
    private var done: [ProgramResult] = []
    /// The worker; nil if it has ended or is not started yet.
    private(set) var worker: StreamWorker?
    /// The input, or the program, that was being worked on when a worker ended, and that is repeated.
    private var suspect: Suspect?
    /// Whether the suspect is sent alone.
    private var isAlone = false
    private var unexplained = 0
    /// Whether the rest is left to another call: a request was answered, or an input took long.
    private var isOver = false

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

    /// Runs the program on the first inputs, at least on one.
    mutating func results(_ limits: JqLimits) -> [ProgramResult] {
        while !isOver, done.count < inputs.count {
            if let fault = inputs[done.count].fault {
                done.append(.failed(fault))
                continue
            }
            let before = done.count
            do throws(StreamWorkerFailure) {
                try runNext()
            } catch {
                worker = nil
                attribute(error, limits, hasResults: done.count > before)
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
        try worker.run(program, on: nextInputs(), &done)
        isOver = true
    }

    private func nextInputs() -> ArraySlice<ProgramInput> {
        let first = done.count
        if isAlone { return inputs[first...first] }
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
    ///
    /// - Parameter hasResults: whether the worker has answered a part of the request.
    private mutating func attribute(_ failure: StreamWorkerFailure, _ limits: JqLimits, hasResults: Bool) {
        // All inputs had their results.
        guard done.count < inputs.count else { return }
        // The time is that of the first input without a result. Who is to blame for other reasons, the next call finds.
        if case .ended(.time) = failure { return failLong(WorkerEnd.time.message(limits)) }
        guard !hasResults else { return isOver = true }
        switch failure {
        case .compiling(.time): failRest(WorkerEnd.time.message(limits))
        case .compiling(let end):
            if suspect == .program { return failRest(end.message(limits)) }
            suspect = .program
        case .ended(.time), .ended(.memory), .ended(.aborted), .ended(.signal), .ended(.malformed), .stuck:
            suspectFirst(failure, limits, isAlone: true)
        // It has ended before the request. A process that ends again and again is not a worker.
        case .ended(.renewed): suspectFirst(failure, limits, isAlone: false)
        case .ended(.status(let status)): failRest(WorkerEnd.status(status).message(limits))
        }
    }

    private mutating func suspectFirst(_ failure: StreamWorkerFailure, _ limits: JqLimits, isAlone: Bool) {
        guard suspect == .input(done.count) else {
            suspect = .input(done.count)
            self.isAlone = isAlone
            return
        }
        let message: String
        switch failure {
        case .ended(let end), .compiling(let end): message = end.message(limits)
        case .stuck: message = "gave no result within \(limits.wallTime.rxText)"
        }
        switch failure {
        case .ended(.memory), .ended(.aborted), .stuck: return failLong(message)
        case .ended, .compiling: unexplained += 1
        }
        if unexplained == Self.mostUnexplained { return failRest(message) }
        done.append(.failed(message))
        suspect = nil
        self.isAlone = false
    }

    /// Fails the first input without a result, which took long.
    private mutating func failLong(_ message: String) {
        done.append(.failed(message))
        isOver = true
    }

    private mutating func failRest(_ message: String) {
        while done.count < inputs.count { done.append(.failed(message)) }
    }
}
