internal import RxJSON
internal import RxJq
internal import RxStreamTest
internal import RxStreams
internal import RxTime

extension TestedReactor {
    /// A reactor of a configuration, whose programs run in `evaluator`; to them, `now` is the time of the test.
    init(_ reactor: ConfiguredReactor, _ evaluator: any ProgramEvaluator) {
        let programs = ReactorProgramRun(reactor, evaluator)
        self.init(
            initial: RawJSON(reactor.plan.initial), actions: reactor.plan.actions,
            sources: reactor.plan.sources.map { source in
                switch source {
                case .action(let name): .action(name)
                case .reactor(let name): .reactor(name)
                }
            },
            react: { programs.reaction(to: $0, in: $1, at: $2) })
    }
}

/// Runs the programs of a reactor as its worker does (CJq/worker.c).
private struct ReactorProgramRun: Sendable {
    private let reactor: ConfiguredReactor
    private let evaluator: any ProgramEvaluator

    init(_ reactor: ConfiguredReactor, _ evaluator: any ProgramEvaluator) {
        self.reactor = reactor
        self.evaluator = evaluator
    }

    private struct Failure: Error { let message: String }

    func reaction(to input: TestedReactor.Input, in state: RawJSON, at now: Instant) -> TestedReactor.Reaction {
        var turn = Turn(run: self, now: now, state: state)
        do throws(Failure) {
            switch input {
            case .action(let action): try turn.take(action)
            case .element(let rule, let action, let element):
                try turn.mutate(reactor.plan.programs.rules[rule].element, [("action", action), ("element", element)])
            case .failure(let rule, let action, let error):
                try turn.mutate(reactor.plan.programs.rules[rule].failure, [("action", action), ("error", error)])
            case .merged(let index, let value):
                let isState = if case .reactor = reactor.plan.sources[index] { true } else { false }
                try turn.mutate(reactor.plan.programs.merges[index], [(isState ? "other" : "element", value)])
            }
        } catch {
            turn.reaction.fault = error.message
        }
        return turn.reaction
    }

    /// One request.
    private struct Turn {
        let run: ReactorProgramRun
        let now: Instant
        var state: RawJSON
        var reaction = TestedReactor.Reaction()

        mutating func take(_ action: RawJSON) throws(Failure) {
            if let violation = run.reactor.schema?.violations(of: action).first {
                throw Failure(message: "/action\(violation.path): \(violation.message)")
            }
            let programs = run.reactor.plan.programs
            for rule in programs.rules {
                guard let refuse = rule.refuse, try holds(rule, for: action) else { continue }
                _ = try results(of: refuse, .one, [("action", action)])
                reaction.isRefused = true
                return
            }
            if programs.rules.isEmpty { return try reduce(action) }
            var isTaken = false
            for (index, rule) in programs.rules.enumerated() where rule.refuse == nil {
                guard try holds(rule, for: action) else { continue }
                isTaken = true
                try mutate(rule.mutation, [("action", action)])
                guard rule.executes else { continue }
                let inputs = try rule.input.map { text throws(Failure) in
                    try results(of: text, .many, [("action", action)])
                }
                reaction.executions += (inputs ?? [action]).map { (index, $0) }
            }
            reaction.isRefused = !isTaken && !programs.ignoresOthers
        }

        private func holds(_ rule: JqReactorPrograms.Rule, for action: RawJSON) throws(Failure) -> Bool {
            guard let when = rule.when else { return true }
            return try results(of: when, .condition, [("action", action)]) == [.true]
        }

        /// Reduces each result of a program, if there is one.
        mutating func mutate(_ program: String?, _ members: [(String, RawJSON)]) throws(Failure) {
            guard let program else { return }
            for mutation in try results(of: program, .many, members) { try reduce(mutation) }
        }

        private mutating func reduce(_ mutation: RawJSON) throws(Failure) {
            let states = try results(of: run.reactor.plan.programs.reduce, .one, [("mutation", mutation)])
            guard let next = states.first else { return }
            state = next
            reaction.states.append(next)
        }

        /// The results of a program over the members and the state.
        private func results(
            of text: String, _ use: StreamProgram.Use, _ members: [(String, RawJSON)]
        ) throws(Failure) -> [RawJSON] {
            var writer = JSONWriter()
            writer.object { writer in
                for (name, value) in members {
                    writer.key(name)
                    writer.raw(value)
                }
                writer.field("state", state)
            }
            let input = ProgramInput(value: RawJSON(unchecked: writer.bytes), time: now)
            switch run.evaluator.evaluate(StreamProgram(text, use), on: [input]).first {
            case .values(let values)?: return values
            case .failed(let message)?: throw Failure(message: message)
            case nil: return []
            }
        }
    }
}
