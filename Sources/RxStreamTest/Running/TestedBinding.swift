internal import RxJSON
internal import RxStreams
internal import RxTime

/// An `on` in a test.
// Unchecked: a test runs on one thread.
final class TestedBinding: @unchecked Sendable {
    /// What comes of an element.
    enum Event {
        /// The element was given to the target, or was refused.
        case fired(Firing)
        /// The execution that it started has ended.
        case ended
    }

    let definition: BindingDefinition
    private let surroundings: TestSurroundings
    private let observe: (Event) -> Void
    private let waits: Bool
    /// Elements that wait while the queue of the action is full.
    private var waiting: [StreamElement] = []

    /// - Parameters:
    ///   - canWait: whether the source of the stream waits while a queue is full.
    ///   - observe: receives what comes of the elements.
    init(
        _ definition: BindingDefinition, _ surroundings: TestSurroundings, canWait: Bool,
        observe: @escaping (Event) -> Void
    ) {
        self.definition = definition
        self.surroundings = surroundings
        self.observe = observe
        waits = definition.whenFull == .wait && canWait
        guard waits, case .action(let name) = definition.target else { return }
        surroundings.actions[name]?.hasRoom.append { [weak self] in self?.resume() }
    }

    func take(_ element: StreamElement) {
        if waits, isFull || !waiting.isEmpty { waiting.append(element) } else { fire(element) }
    }

    private var isFull: Bool {
        if case .action(let name) = definition.target { surroundings.actions[name]?.isFull ?? false } else { false }
    }

    private func resume() {
        while !waiting.isEmpty, !isFull { fire(waiting.removeFirst()) }
    }

    private func fire(_ element: StreamElement) {
        var input = element.value
        if let program = definition.input {
            let argument = ProgramInput(
                value: element.value, time: element.time, key: element.key, from: element.from)
            switch surroundings.evaluator.evaluate(program, on: [argument]).first {
            case .values(let values)?: input = values.first ?? .null
            case .failed(let message)?:
                return observe(.fired(Firing(outcome: "failed", reason: message)))
            case nil: return observe(.fired(Firing(outcome: "failed", reason: "gave no result")))
            }
        }
        switch definition.target {
        case .action(let name): execute(name, input)
        case .reactor(let name): dispatch(name, input)
        }
    }

    private func execute(_ name: String, _ input: RawJSON) {
        if let fault = surroundings.actions.inputFault(name, input) {
            return observe(.fired(Firing(outcome: "failed", input: input, reason: fault)))
        }
        let request = MockedRequest(input) { [observe] event in
            switch event {
            case .element: break
            case .success, .failure: observe(.ended)
            }
        }
        guard let action = surroundings.actions[name] else { return }
        let firing =
            switch action.take(request) {
            case .started: Firing(outcome: "started", input: input)
            case .queued: Firing(outcome: "queued", input: input)
            case .joined: Firing(outcome: "joined", input: input)
            case .refused(let reason): Firing(outcome: "refused", input: input, reason: reason)
            }
        observe(.fired(firing))
        if firing.outcome == "refused" { observe(.ended) }
    }

    private func dispatch(_ name: String, _ action: RawJSON) {
        guard let reactor = surroundings.reactors[name] else { return }
        let reaction = reactor.take(.action(action))
        let firing =
            if let fault = reaction.fault {
                Firing(outcome: "failed", input: action, reason: fault)
            } else if reaction.isRefused {
                Firing(outcome: "refused", input: action, reason: "notEnabled")
            } else {
                Firing(outcome: "reduced", input: action, revision: reactor.revision)
            }
        observe(.fired(firing))
    }
}
