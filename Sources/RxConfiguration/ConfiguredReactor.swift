package import RxRecords
package import RxJq
package import RxHost
package import RxJSON
package import RxPlatform

/// One `[reactor.NAME]`, with its defaults filled in.
package struct ConfiguredReactor: Sendable, Equatable {
    package var name: String
    package var summary: String?
    /// The schema of an action; nil accepts anything.
    package var schema: JSONSchema?
    package var persistence: ReactorPersistence?
    package var access = Access()
    /// The lines of its rules and programs, by the keys of `ProgramPlace`.
    package var lines: [String: SourceLine] = [:]
    package var plan: JqReactorPlan

    /// The definition that the host takes. Its programs' time is limited by `clock`.
    package func definition(host: any JqReactorHost, clock: MonotonicClock) -> ReactorDefinition {
        var definition = ReactorDefinition(
            name: name, summary: summary, kind: "jq", fingerprint: plan.fingerprint, settings: settings,
            stateBytes: plan.stateBytes, schema: schema,
            input: { [schema] (action, causes) throws(DispatchRefusal) in
                try schema?.check(action)
                return ReactorInput(action, causes: causes)
            },
            makeEngine: { [plan] in JqReactorEngine(plan, host: host, clock: clock) })
        definition.executes = Set(plan.actions.compactMap { $0 })
        definition.access = access
        definition.lines = lines
        definition.persistence = persistence
        return definition
    }

    private var settings: String {
        canonical([("input", schema?.fingerprint ?? "{}"), ("description", summary ?? "")])
    }
}

extension JqReactorPlan {
    /// A canonical text of everything that decides how actions become states.
    var fingerprint: String {
        var fields = [("initial", RawJSON(initial).text), ("reduce", programs.reduce)]
        for (rule, action) in zip(programs.rules, actions) {
            fields += [
                ("when", rule.when), ("mutation", rule.mutation), ("execute", action), ("input", rule.input),
                ("element", rule.element), ("failure", rule.failure),
            ].map { ($0, $1 ?? "") }
            // What came later is only there if it is used, so that other definitions keep their fingerprints.
            if let refuse = rule.refuse { fields.append(("refuse", refuse)) }
        }
        if programs.ignoresOthers { fields.append(("otherwise", "ignore")) }
        for (program, source) in zip(programs.merges, sources) {
            switch source {
            case .action(let name): fields.append(("action", name))
            case .reactor(let name): fields.append(("reactor", name))
            }
            fields.append(("mutation", program))
        }
        return canonical(fields)
    }
}

/// The standard library quotes and escapes values, so that none can look like another field.
private func canonical(_ fields: [(String, String)]) -> String {
    fields.map { "\($0)=\($1.debugDescription)" }.joined(separator: " ")
}
