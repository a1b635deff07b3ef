internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxPlatform
internal import RxRecords

/// One run of a program, as the execution of an action that exists for this run alone. Reading stops with each line, in
/// the turn of the loop that brought it, until `readOn`.
final class ProgramRun: Sendable {
    enum Event: Sendable {
        /// A line of the output, as a JSON string.
        case line(RawJSON)
        /// The program has ended, for this reason. The last event.
        case ended(String)
    }

    private let action: Action<RawJSON, RawJSON>
    private let execution = Locked<Execution<RawJSON>?>(nil)
    private let reading: Hold

    /// - Parameter handler: called in order, one call at a time, on any thread.
    init(
        _ name: String, _ work: @escaping @Sendable (Invocation) -> Observable<RawJSON>, on platform: Platform,
        _ handler: @escaping @Sendable (Event) -> Void
    ) {
        let hold = Hold()
        reading = hold
        action = Action(
            work: { input, context in
                work(Invocation(action: name, input: input, context: context, flow: hold.flow, platform: platform))
            },
            onTransition: { transition in
                switch transition {
                case .element(_, let line):
                    hold.take()
                    handler(.line(line))
                case .ended(_, let end): handler(.ended(Self.reason(end)))
                case .refused(let refusal): handler(.ended("\(refusal)"))
                case .queued, .started, .executing, .enabled, .conditionFailed: break
                }
            })
    }

    /// Starts the program. Called once.
    func begin() {
        guard case .success(let started) = action.start(.null) else { return }
        execution.withLock { $0 = started }
    }

    /// Stops reading the output, unless it has stopped.
    func hold() { reading.take() }

    /// Reads on, if reading has stopped.
    func readOn() { reading.release() }

    /// Ends the program: SIGTERM, and SIGKILL after its grace.
    func end() {
        execution.withLock { $0 }?.cancel()
    }

    private static func reason(_ end: ExecutionEnd) -> String {
        switch end {
        case .completed: "the process exited with 0"
        case .failed(let error), .cancelled(let error): (error as? WorkFailure)?.message ?? "\(error)"
        }
    }
}

/// At most one hold on the flow of a run.
private final class Hold: Sendable {
    let flow = Flow()
    private let isTaken = Locked(false)

    func take() {
        let isFirst = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        if isFirst { flow.hold() }
    }

    func release() {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = false }
            return isTaken
        }
        if wasTaken { flow.release() }
    }
}
