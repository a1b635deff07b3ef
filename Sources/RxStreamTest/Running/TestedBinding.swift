internal import RxJSON
internal import RxStreams
internal import RxTime

/// The outcome of one element at an `on`.
struct Firing {
    /// What became of it: `started`, `queued`, `joined`, `refused`, `failed`, or `reduced`.
    var outcome: String
    /// The input, unless its program failed.
    var input: RawJSON?
    /// The reason of a refusal or a failure.
    var reason: String?
    /// The revision of the reactor's state.
    var revision: Int?

    /// `{"outcome":…,"input":…}`, with the reason under the name of the outcome.
    var json: RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("outcome", outcome)
            if let input { writer.field("input", input) }
            if let reason, outcome == "refused" { writer.field("refused", reason) }
            if let reason, outcome == "failed" { writer.field("failed", reason) }
            if let revision { writer.field("revision", revision) }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}

/// An `on` in a test.
// Unchecked: a test runs on one thread.
final class TestedBinding: @unchecked Sendable {
    let definition: BindingDefinition
    private unowned let world: TestWorld
    private let waits: Bool
    /// Elements that wait while the queue of the action is full.
    private var waiting: [StreamElement] = []

    init(_ definition: BindingDefinition, _ world: TestWorld) {
        self.definition = definition
        self.world = world
        waits = definition.whenFull == .wait && world.scope.canWait(definition.stream)
        guard waits, case .action(let name) = definition.target else { return }
        world.action(name)?.hasRoom.append { [weak self] in self?.resume() }
    }

    func take(_ element: StreamElement) {
        if waits, isFull || !waiting.isEmpty { waiting.append(element) } else { fire(element) }
    }

    private var isFull: Bool {
        if case .action(let name) = definition.target { world.action(name)?.isFull ?? false } else { false }
    }

    private func resume() {
        while !waiting.isEmpty, !isFull { fire(waiting.removeFirst()) }
    }

    private func fire(_ element: StreamElement) {
        var input = element.value
        if let program = definition.input {
            let argument = ProgramInput(
                value: element.value, time: element.time, key: element.key, from: element.from)
            switch world.evaluator.evaluate(program, on: [argument]).first {
            case .values(let values)?: input = values.first ?? .null
            case .failed(let message)?:
                return world.fired(Firing(outcome: "failed", reason: message), definition)
            case nil: return world.fired(Firing(outcome: "failed", reason: "gave no result"), definition)
            }
        }
        switch definition.target {
        case .action(let name): execute(name, input)
        case .reactor(let name): dispatch(name, input)
        }
    }

    private func execute(_ name: String, _ input: RawJSON) {
        if let fault = world.configuration.inputFault(name, input) {
            return world.fired(Firing(outcome: "failed", input: input, reason: fault), definition)
        }
        let request = MockedRequest(input) { [world, definition] event in
            switch event {
            case .element: break
            case .success, .failure: world.executionEnded(definition)
            }
        }
        guard let action = world.action(name) else { return }
        let firing =
            switch action.take(request) {
            case .started: Firing(outcome: "started", input: input)
            case .queued: Firing(outcome: "queued", input: input)
            case .joined: Firing(outcome: "joined", input: input)
            case .refused(let reason): Firing(outcome: "refused", input: input, reason: reason)
            }
        world.fired(firing, definition)
        if firing.outcome == "refused" { world.executionEnded(definition) }
    }

    private func dispatch(_ name: String, _ action: RawJSON) {
        guard let reactor = world.reactor(name) else { return }
        if let fault = reactor.take(.action(action)) {
            world.fired(Firing(outcome: "refused", input: action, reason: fault), definition)
        } else {
            world.fired(Firing(outcome: "reduced", input: action, revision: reactor.revision), definition)
        }
    }
}
