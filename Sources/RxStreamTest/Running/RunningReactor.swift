internal import RxJSON
internal import RxStreams

/// A reactor in a test.
// Unchecked: a test runs on one thread.
final class RunningReactor: @unchecked Sendable {
    private let reactor: TestedReactor
    private let actions: MockedActions
    private unowned let clock: TestClock
    private let observe: (RawJSON) -> Void
    private(set) var state: RawJSON
    private(set) var revision = 0

    /// - Parameter observe: receives each new state.
    init(
        _ reactor: TestedReactor, _ actions: MockedActions, _ clock: TestClock, observe: @escaping (RawJSON) -> Void
    ) {
        self.reactor = reactor
        self.actions = actions
        self.clock = clock
        self.observe = observe
        state = reactor.initial
    }

    /// Takes an input, and starts the executions of the rules.
    @discardableResult
    func take(_ input: TestedReactor.Input) -> TestedReactor.Reaction {
        let reaction = reactor.react(input, state, clock.now)
        for next in reaction.states {
            revision += 1
            guard next != state, next.value() != state.value() else { continue }
            state = next
            observe(next)
        }
        if case .action(let action) = input {
            for (rule, input) in reaction.executions { execute(rule, input, for: action) }
        }
        return reaction
    }

    /// Merges an element of an action, or a state of another reactor.
    func merge(_ source: TestedReactor.Source, _ value: RawJSON) {
        for (index, own) in reactor.sources.enumerated() where own == source {
            clock.post { [self] in take(.merged(index, value)) }
        }
    }

    private func execute(_ rule: Int, _ input: RawJSON, for action: RawJSON) {
        guard let name = reactor.actions[rule], let executed = actions[name] else { return }
        if let fault = actions.inputFault(name, input) {
            return fail(rule, action, .invalid(fault))
        }
        let request = MockedRequest(input) { [weak self] event in
            guard let self else { return }
            clock.post { [self] in
                switch event {
                case .element(let element): self.take(.element(rule: rule, action: action, element))
                case .success: break
                case .failure(let failure): self.fail(rule, action, failure)
                }
            }
        }
        switch executed.take(request) {
        case .started, .queued, .joined: break
        case .refused(let reason): fail(rule, action, .refusal(reason))
        }
    }

    private func fail(_ rule: Int, _ action: RawJSON, _ failure: StepFailure) {
        clock.post { [self] in take(.failure(rule: rule, action: action, failure.error)) }
    }
}
