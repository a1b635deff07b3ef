internal import Rx
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxSources
internal import RxStreams
internal import RxTime

/// The condition of a stream or of an action in a daemon: keeps what it depends on, and evaluates it in a turn.
// Unchecked: `results` and `failures` belong to the turn.
final class LiveCondition: @unchecked Sendable {
    /// How long after a failure a path is watched again, in microseconds: the usual reason is a limit of the kernel.
    private static let retryDelay: Int64 = 5_000_000

    private struct Listeners {
        var all: [EnabledCondition: any Disposable] = [:]
        var isStopped = false
    }

    private let condition: EnabledCondition
    private let services: StreamServices
    private let changed: @Sendable () -> Void
    private let state = Locked(ConditionInputs())
    /// Why parts with a program do not hold; nil for those that do.
    private var results: [EnabledCondition: String?] = [:]
    /// The messages of programs that have failed.
    private var failures: [EnabledCondition: String] = [:]
    private let listeners = Locked(Listeners())

    /// - Parameter changed: called on any thread when `evaluate` may have another result; it must not wait.
    init(_ condition: EnabledCondition, services: StreamServices, changed: @escaping @Sendable () -> Void) {
        self.condition = condition
        self.services = services
        self.changed = changed
    }

    func start() {
        for part in condition.leaves { set(listen(to: part), for: part) }
    }

    /// Listens to other streams of these names than before.
    func reconnect(to streams: Set<String>) {
        for part in condition.leaves {
            guard case .stream(let name, _) = part, streams.contains(name) else { continue }
            // A stream that starts over has emitted nothing yet.
            if services.lastElements.last(of: name) == nil { forget(part) }
            set(listen(to: part), for: part)
        }
    }

    func stop() {
        let all = listeners.withLock { listeners in
            defer { listeners = Listeners(isStopped: true) }
            return listeners.all.values
        }
        for listener in all { listener.dispose() }
    }

    private func set(_ listener: any Disposable, for part: EnabledCondition) {
        let unused = listeners.withLock { listeners in
            listeners.isStopped ? listener : listeners.all.updateValue(listener, forKey: part)
        }
        unused?.dispose()
    }

    private func listen(to part: EnabledCondition) -> any Disposable {
        switch part {
        case .reactor(let name, _):
            services.host.listen(toStatesOf: name) { [weak self] in self?.take(.state($0), of: part) }
        case .stream(let name, _):
            listen(toStream: name, part)
        case .pathExists(let path): watch(path, part)
        case .all, .any, .not: Disposables.create()
        }
    }

    private func watch(_ path: String, _ part: EnabledCondition) -> any Disposable {
        do throws(SourceUnavailable) {
            return try services.opener.watch(path: path) { [weak self] in self?.take(.isPresent($0), of: part) }
        } catch {
            take(.isUnwatched(error.reason), of: part)
            let clock = services.clock
            let due = clock.now.adding(microseconds: Self.retryDelay)
            let alarm = clock.schedule(at: due, on: services.queue) { [weak self] in
                guard let self else { return }
                set(listen(to: part), for: part)
            }
            return Disposables.create { clock.cancel(alarm) }
        }
    }

    private func listen(toStream name: String, _ part: EnabledCondition) -> any Disposable {
        let reading = services.lastElements.read(name)
        let listener = services.outputs.connect(name, .elements) { [weak self] _, _ in
            self?.takeLast(of: name, part)
        }
        takeLast(of: name, part)
        return Disposables.create {
            listener.dispose()
            reading.dispose()
        }
    }

    private func takeLast(of stream: String, _ part: EnabledCondition) {
        guard let last = services.lastElements.last(of: stream) else { return }
        take(.element(last.value, number: last.number), of: part)
    }

    private func forget(_ part: EnabledCondition) {
        if state.withLock({ $0.forget(part) }) { changed() }
    }

    private func take(_ input: ConditionInputs.Input, of part: EnabledCondition) {
        if state.withLock({ $0.take(input, of: part) }) { changed() }
    }

    // MARK: In the stream's turn

    enum Outcome {
        case unchanged
        case holds
        /// With the reason, in a sentence without a period.
        case fails(String)
    }

    /// Evaluates what has changed. Waits for a worker.
    func evaluate() -> Outcome {
        let taken = state.withLock { state -> (inputs: Inputs, changed: Set<EnabledCondition>)? in
            guard state.mustEvaluate else { return nil }
            let isKnown = condition.leaves.allSatisfy { part in
                if case .pathExists = part { state.inputs[part] != nil } else { true }
            }
            // The first report of a path is yet to come.
            guard isKnown else { return nil }
            return (state.inputs, state.takeChanges())
        }
        guard let taken else { return .unchanged }
        services.lastElements.store()
        for part in taken.changed {
            results[part] = nil
            failures[part] = nil
        }
        // A path that cannot be watched is neither there nor missing: the condition as a whole is not known to hold.
        for case .isUnwatched(let reason) in condition.leaves.compactMap({ taken.inputs[$0] }) {
            return .fails(reason)
        }
        return obstacle(condition, taken.inputs).map { .fails($0) } ?? .holds
    }

    private typealias Inputs = [EnabledCondition: ConditionInputs.Input]

    /// The condition as clients see it while it does not hold, for this reason.
    ///
    /// - Parameter place: where it stands in the configuration, for the error, if that is known.
    func unmet(_ reason: String, at place: String?) -> UnmetCondition {
        guard case .reactor(let name, let program) = condition else { return UnmetCondition(text: reason) }
        guard let message = failures[condition] else { return UnmetCondition(reactor: name, when: program.text) }
        let isPublic = services.evaluator.isOperatorText(message, of: program)
        let head = place.map { "\($0): " } ?? ""
        return UnmetCondition(
            reactor: name, when: program.text, error: head + message,
            publicError: head + (isPublic ? message : "the program failed"))
    }

    /// Why a condition does not hold; nil if it does.
    private func obstacle(_ condition: EnabledCondition, _ inputs: Inputs) -> String? {
        switch condition {
        case .reactor(let name, let program):
            guard case .state(let value)? = inputs[condition] else { return "the reactor \(name) has no state" }
            return result(of: condition, "the reactor \(name)", program) {
                var writer = JSONWriter()
                value.write(to: &writer)
                return RawJSON(unchecked: writer.bytes)
            }
        case .stream(let name, let program):
            guard case .element(let value, number: _)? = inputs[condition] else {
                return "the stream \(name) has emitted nothing yet"
            }
            return result(of: condition, "the stream \(name)", program) { value }
        case .pathExists(let path):
            if case .isPresent(true)? = inputs[condition] { return nil }
            return "\(path) does not exist"
        case .all(let parts):
            let obstacles = parts.compactMap { obstacle($0, inputs) }
            return obstacles.isEmpty ? nil : obstacles.joined(separator: "; ")
        case .any(let parts):
            let obstacles = parts.map { obstacle($0, inputs) }
            return obstacles.contains { $0 == nil } ? nil : obstacles.compactMap { $0 }.joined(separator: ", and ")
        case .not(let part):
            return obstacle(part, inputs) == nil ? "this must not hold: \(part.text)" : nil
        }
    }

    /// The message of a failure may have values that not everyone may see who may see the stream, so it is left out.
    private func result(
        of condition: EnabledCondition, _ subject: String, _ program: StreamProgram, _ input: () -> RawJSON
    ) -> String? {
        if let known = results[condition] { return known }
        let result: String?
        switch services.evaluator.evaluate(program, on: [ProgramInput(value: input(), time: services.clock.now)]).first
        {
        case .values([.true])?: result = nil
        case .failed(let message)?:
            failures[condition] = message
            result = "the condition \(program.text) of \(subject) failed"
        case .values?, nil: result = "\(program.text) does not hold for \(subject)"
        }
        results[condition] = .some(result)
        return result
    }
}

extension EnabledCondition {
    /// The parts that depend on something outside.
    fileprivate var leaves: [EnabledCondition] {
        switch self {
        case .reactor, .stream, .pathExists: [self]
        case .all(let parts), .any(let parts): parts.flatMap(\.leaves)
        case .not(let part): part.leaves
        }
    }

    /// The condition in a few words.
    fileprivate var text: String {
        switch self {
        case .reactor(let name, let program): "\(program.text) for the reactor \(name)"
        case .stream(let name, let program): "\(program.text) for the stream \(name)"
        case .pathExists(let path): "\(path) exists"
        case .all(let parts): parts.map(\.text).joined(separator: "; ")
        case .any(let parts): parts.map(\.text).joined(separator: " or ")
        case .not(let part): "not (\(part.text))"
        }
    }
}
