package import RxProcess
package import RxAction
package import RxHost
package import RxStreams
internal import RxTime
package import RxJSON

/// One `[action.NAME]`, with its defaults filled in.
package struct ConfiguredAction: Sendable, Equatable {
    package var name: String
    package var summary: String?
    package var overlap = Overlap.reject
    /// Puts each input into a group with an overlap of its own; nil for none.
    package var by: StreamProgram?
    /// Nil for the default of the kind.
    package var scheduler: WorkScheduler?
    package var timeout: Duration?
    package var retry: RetryPolicy?
    package var isDurable = false
    /// Nil for the default of the scheduler.
    package var keepsHistory: Bool?
    /// The schema of an input; nil accepts anything.
    package var schema: JSONSchema?
    package var access = Access()
    /// The condition for accepting inputs; nil for always.
    package var condition: EnabledCondition?
    /// Where the condition stands, for messages: `rxd.toml:41: enabled.when`.
    package var conditionPlace: String?
    package var kind: Kind

    package enum Kind: Sendable, Equatable {
        case process(ProcessDefinition)
        case builtin(Builtin)
    }

    /// The definition that the host takes.
    ///
    /// - Parameters:
    ///   - processes: what process actions start their processes through.
    ///   - evaluator: runs the programs of groups.
    package func definition(processes: ProcessServices, evaluator: any ProgramEvaluator) -> ActionDefinition {
        var definition = definition(ofKind: processes)
        definition.overlap = overlap
        definition.groups = by.map { InputGroups($0, evaluator) }
        definition.retry = retry
        definition.access = access
        definition.isDurable = isDurable
        if let keepsHistory { definition.keepsHistory = keepsHistory }
        definition.fingerprint = fingerprint
        guard let schema else { return definition }
        definition.schema = schema
        definition.validate = { [validate = definition.validate] in Self.faults(in: $0, schema, validate) }
        return definition
    }

    /// Whether its program receives parts of the input as files.
    package var passesFiles: Bool {
        switch kind {
        case .process(let process): process.passesFiles
        case .builtin: false
        }
    }

    /// What is wrong with an input, as the host finds it.
    package func faults(in input: RawJSON) -> [InputFault] {
        switch kind {
        case .process(let process): Self.faults(in: input, schema, process.faults(in:))
        case .builtin(let builtin): Self.faults(in: input, schema, builtin.definition(name: name).validate)
        }
    }

    /// The kind's own check presumes an input that satisfies the schema.
    private static func faults(
        in input: RawJSON, _ schema: JSONSchema?, _ validate: (RawJSON) -> [InputFault]
    ) -> [InputFault] {
        let violations = schema?.violations(of: input) ?? []
        guard violations.isEmpty else { return violations.map { InputFault(path: $0.path, message: $0.message) } }
        return validate(input)
    }

    /// Whether the history has the executions unless `history` decides: not those of a function that answers at once.
    package var keepsHistoryByDefault: Bool {
        switch kind {
        case .process: true
        case .builtin(let builtin): builtin.definition(name: name, scheduler: scheduler).keepsHistory
        }
    }

    private func definition(ofKind processes: ProcessServices) -> ActionDefinition {
        switch kind {
        case .builtin(let builtin):
            return builtin.definition(name: name, summary: summary, scheduler: scheduler, timeout: timeout)
        case .process(let process):
            return ActionDefinition(
                name: name, summary: summary, kind: "process", scheduler: scheduler ?? .serial, timeout: timeout,
                fingerprint: fingerprint, validate: process.faults(in:),
                work: processes.work(process))
        }
    }

    /// A canonical text of everything that the definition is made from: equal texts mean equal definitions.
    package var fingerprint: String {
        var fields: [(String, String)] = [
            ("name", name), ("description", summary ?? ""), ("overlap", overlap.fingerprint),
            ("scheduler", scheduler?.rawValue ?? "auto"), ("timeout", timeout?.rxText ?? "none"),
            ("retry", retry.map { "\($0)" } ?? "none"), ("durable", "\(isDurable)"),
            ("history", keepsHistory.map { "\($0)" } ?? "auto"), ("input", schema?.fingerprint ?? "{}"),
            ("execute", access.execute.fingerprint), ("subscribe", access.subscribe.fingerprint),
            ("manage", access.manage.fingerprint),
        ]
        // A field that came later: without it, actions keep their fingerprints.
        if let by { fields.append(("by", by.text)) }
        switch kind {
        case .builtin(let builtin): fields.append(("builtin", builtin.rawValue))
        case .process(let process): fields += process.fingerprintFields
        }
        // The standard library quotes and escapes values, so that none can look like another field.
        return fields.map { "\($0)=\($1.debugDescription)" }.joined(separator: " ")
    }
}

extension InputGroups {
    /// The groups that a program makes: the JSON text of its single result is the name.
    fileprivate init(_ program: StreamProgram, _ evaluator: any ProgramEvaluator) {
        self.init(text: program.text) { input, time in
            let input = ProgramInput(value: input, time: Instant(microseconds: time * 1000))
            return switch evaluator.evaluate(program, on: [input]).first {
            case .values(let values)? where values.count == 1: .group(values[0].text)
            case .failed(let message)?: .fault("failed: \(message)")
            case .values?, nil: .fault("gave no single result")
            }
        }
    }
}

extension Access.Grant {
    fileprivate var fingerprint: String {
        switch self {
        case .everyone: "all"
        case .only(let users, let groups): "users \(users.sorted()) groups \(groups.sorted())"
        }
    }
}
