internal import RxRecords
internal import JqWorker
internal import RxHost
internal import RxJSON

/// One `[reactor.NAME]`, with its defaults filled in.
struct ConfiguredReactor: Sendable, Equatable {
    enum Kind: Sendable, Hashable {
        case jq(JqReactorPlan)
        /// Compiled in, under this name.
        case builtin(String)
    }

    var name: String
    var summary: String?
    /// What an action must look like; nil for anything.
    var schema: JSONSchema?
    var persistence: ReactorPersistence?
    var access = Access()
    var kind: Kind

    /// What the host takes.
    func definition(surroundings: any ReactorSurroundings) -> ReactorDefinition? {
        let plan: JqReactorPlan
        switch kind {
        case .jq(let jq): plan = jq
        case .builtin(let word):
            var definition = BuiltinReactor(rawValue: word)?.definition(name: name, summary: summary)
            definition?.access = access
            definition?.persistence = persistence
            return definition
        }
        var definition = ReactorDefinition(
            name: name, summary: summary, kind: "jq", fingerprint: plan.fingerprint, settings: settings,
            stateBytes: plan.stateBytes, schema: schema,
            input: { [schema] (action, by) throws(DispatchRefusal) in
                try schema?.check(action)
                return ReactorInput(action, by: by)
            },
            makeEngine: { JqReactorEngine(plan, surroundings: surroundings) })
        definition.access = access
        definition.persistence = persistence
        return definition
    }

    private var settings: String {
        canonical([("input", schema?.source.text ?? "{}"), ("description", summary ?? "")])
    }
}

extension JqReactorPlan {
    /// All that decides how actions become states.
    var fingerprint: String {
        var fields = [("initial", RawJSON(initial).text), ("reduce", programs.reduce)]
        for (rule, action) in zip(programs.rules, actions) {
            fields += [
                ("when", rule.when), ("mutation", rule.mutation), ("execute", action), ("input", rule.input),
                ("element", rule.element), ("failure", rule.failure),
            ].map { ($0, $1 ?? "") }
        }
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

/// Quoted and escaped by the standard library, so that no value can look like another field.
private func canonical(_ fields: [(String, String)]) -> String {
    fields.map { "\($0)=\($1.debugDescription)" }.joined(separator: " ")
}
