internal import Rx
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxSources
internal import RxStreams

/// The condition of a stream or of an action in a daemon: keeps what it depends on, and evaluates it in a turn.
// Unchecked: `results` and `failures` belong to the turn.
final class LiveCondition: @unchecked Sendable {
    private enum Input: Sendable {
        case element(RawJSON)
        case state(any ReactorState)
        case isPresent(Bool)
    }

    private struct State {
        var inputs: [EnabledCondition: Input] = [:]
        /// The parts whose inputs have changed since they were evaluated.
        var changed: Set<EnabledCondition> = []
        var mustEvaluate = true
    }

    private let condition: EnabledCondition
    private let services: StreamServices
    private let changed: @Sendable () -> Void
    private let state = Locked(State())
    /// Why parts with a program do not hold; nil for those that do.
    private var results: [EnabledCondition: String?] = [:]
    /// The messages of programs that have failed.
    private var failures: [EnabledCondition: String] = [:]
    private let listeners = Locked<[EnabledCondition: any Disposable]>([:])

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
            defer { listeners = [:] }
            return listeners.values
        }
        for listener in all { listener.dispose() }
    }

    private func set(_ listener: any Disposable, for part: EnabledCondition) {
        listeners.withLock { $0.updateValue(listener, forKey: part) }?.dispose()
    }

    private func listen(to part: EnabledCondition) -> any Disposable {
        switch part {
        case .reactor(let name, _):
            services.host.listen(toStatesOf: name) { [weak self] in self?.take(.state($0), of: part) }
        case .stream(let name, _):
            listen(toStream: name, part)
        case .pathExists(let path):
            services.opener.watch(path: path) { [weak self] in self?.take(.isPresent($0), of: part) }
        case .all, .any, .not: Disposables.create()
        }
    }

    private func listen(toStream name: String, _ part: EnabledCondition) -> any Disposable {
        let lastElements = services.lastElements
        let listener = services.outputs.connect(name, .elements) { [weak self] element, _ in
            lastElements.note(element.value, of: name)
            self?.take(.element(element.value), of: part)
        }
        if let last = services.lastElements.last(of: name) { take(.element(last), of: part) }
        return listener
    }

    private func forget(_ part: EnabledCondition) {
        state.withLock { state in
            guard state.inputs.removeValue(forKey: part) != nil else { return }
            state.changed.insert(part)
            state.mustEvaluate = true
        }
        changed()
    }

    private func take(_ input: Input, of part: EnabledCondition) {
        state.withLock { state in
            state.inputs[part] = input
            state.changed.insert(part)
            state.mustEvaluate = true
        }
        changed()
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
        let taken = state.withLock { state -> State? in
            guard state.mustEvaluate else { return nil }
            let isKnown = condition.leaves.allSatisfy { part in
                if case .pathExists = part { state.inputs[part] != nil } else { true }
            }
            // The first report of a path is yet to come.
            guard isKnown else { return nil }
            defer {
                state.changed = []
                state.mustEvaluate = false
            }
            return state
        }
        guard let taken else { return .unchanged }
        services.lastElements.store()
        for part in taken.changed {
            results[part] = nil
            failures[part] = nil
        }
        return obstacle(condition, taken).map { .fails($0) } ?? .holds
    }

    /// The condition as clients see it while it does not hold, for this reason.
    func unmet(_ reason: String) -> UnmetCondition {
        guard case .reactor(let name, let program) = condition else { return UnmetCondition(text: reason) }
        let error = failures[condition]
        return UnmetCondition(
            reactor: name, when: program.text, error: error, publicError: error == nil ? nil : "the program failed")
    }

    /// Why a condition does not hold; nil if it does.
    private func obstacle(_ condition: EnabledCondition, _ state: State) -> String? {
        switch condition {
        case .reactor(let name, let program):
            guard case .state(let value)? = state.inputs[condition] else { return "the reactor \(name) has no state" }
            return result(of: condition, "the reactor \(name)", program) {
                var writer = JSONWriter()
                value.write(to: &writer)
                return RawJSON(unchecked: writer.bytes)
            }
        case .stream(let name, let program):
            guard case .element(let value)? = state.inputs[condition] else {
                return "the stream \(name) has emitted nothing yet"
            }
            return result(of: condition, "the stream \(name)", program) { value }
        case .pathExists(let path):
            if case .isPresent(true)? = state.inputs[condition] { return nil }
            return "\(path) does not exist"
        case .all(let parts):
            let obstacles = parts.compactMap { obstacle($0, state) }
            return obstacles.isEmpty ? nil : obstacles.joined(separator: "; ")
        case .any(let parts):
            let obstacles = parts.map { obstacle($0, state) }
            return obstacles.contains { $0 == nil } ? nil : obstacles.compactMap { $0 }.joined(separator: ", and ")
        case .not(let part):
            return obstacle(part, state) == nil ? "this must not hold: \(part.text)" : nil
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
