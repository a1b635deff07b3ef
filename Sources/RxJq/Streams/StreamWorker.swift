internal import Glibc
internal import RxStreams

/// The reason why a worker has not answered a request.
enum StreamWorkerFailure: Error {
    /// It has ended.
    case ended(WorkerEnd)
    /// It was silent for too long and has been killed.
    case stuck
    /// It has ended while it compiled the program.
    case compiling(WorkerEnd)
}

// Used by one thread at a time.
/// A worker for the programs of streams, from outside: one request at a time.
final class StreamWorker {
    let child: WorkerChild
    private let replies = StreamReplies()
    private var request = StreamRequest()
    private var slots: ProgramSlots

    /// Starts a worker, which keeps at most `mostPrograms` compiled.
    init(
        executable: String, limits: JqLimits, mostPrograms: Int = ProgramLimits.keptPrograms
    ) throws(WorkerStartError) {
        slots = ProgramSlots(most: mostPrograms)
        child = try WorkerChild(executable: executable, mark: JqWorker.streamMark, limits: limits)
        let wall = limits.wallTime.components
        var most = timeval(tv_sec: Int(wall.seconds), tv_usec: Int(wall.attoseconds / 1_000_000_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(child.descriptor, SOL_SOCKET, option, &most, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Whether the worker has compiled the program.
    func has(_ program: StreamProgram) -> Bool { slots.has(program) }

    /// Runs the program on the inputs and appends their results: at least one, and fewer than there are inputs if they
    /// take long.
    ///
    /// - Throws: why results are missing; the worker has ended.
    func run(
        _ program: StreamProgram, on inputs: ArraySlice<ProgramInput>, _ results: inout [ProgramResult]
    ) throws(StreamWorkerFailure) {
        request.clear()
        let slot = slots.use(program)
        if slot.isNew { request.compile(program, as: slot.evaluated, in: slot.number) }
        request.run(slot.number, slot.evaluated.mentions, on: inputs)
        send()
        if slot.isNew {
            do throws(StreamWorkerFailure) {
                guard case .compiled = try reply() else { throw malformed() }
            } catch {
                if case .ended(let end) = error { throw .compiling(end) }
                throw error
            }
        }
        try takeResults(inputs.count, &results)
        guard replies.isEmpty else { throw malformed() }
    }

    private func takeResults(_ most: Int, _ results: inout [ProgramResult]) throws(StreamWorkerFailure) {
        for number in 0..<most {
            switch try reply() {
            case .result(let result): results.append(result)
            case .paused where number > 0: return
            case .paused, .compiled: throw malformed()
            }
        }
    }

    /// Sends the request. What the worker does not take shows when its replies are missing.
    private func send() {
        request.bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.send(child.descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    private func reply() throws(StreamWorkerFailure) -> StreamReply {
        while true {
            let next: StreamReply?
            do { next = try replies.next() } catch { throw malformed() }
            if let next { return next }
            let count = replies.fill(from: child.descriptor)
            if count > 0 || count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                child.end()
                throw .stuck
            }
            throw .ended(child.finish())
        }
    }

    private func malformed() -> StreamWorkerFailure {
        child.end()
        return .ended(.malformed)
    }
}
