internal import RxRecords
internal import RxJq
internal import RxHost
internal import RxJSON
internal import RxStreams

/// Reads one `[reactor.NAME]`.
struct ReactorReader {
    /// Most revisions in a history: one per second for more than ten days.
    static let mostHistory = 1_000_000
    /// Least and most bytes of a history. Snapshots are at least 64 KiB apart, so that fewer would not be kept.
    static let historyBytes = 64 << 10...1 << 40

    /// The names of all actions and reactors, valid or not.
    let actions: Set<String>
    let reactors: Set<String>
    /// The value of `[access]`.
    let access: Access
    let accessReader: AccessReader
    let values: ValueReader
    let programs: ProgramList
    let faults: FaultList

    /// Nil for a reactor with faults, which it adds, and for a retired one.
    func read(name: String, node: TOMLNode) -> ConfiguredReactor? {
        let path = ["reactor", name]
        guard var table = TableReader(node, path: path, faults: faults) else { return nil }
        if !ConfiguredName.isValid(name) { table.fault("a name \(ConfiguredName.rule)") }
        if actions.contains(name) { table.fault("is also the name of an action; a subscription could mean either") }
        let summary = table.string("description").flatMap { $0.isEmpty ? nil : $0 }
        let persistence = readPersistence(&table)
        let allowed = table.node("allow").flatMap {
            accessReader.read(allow: $0, path: path + ["allow"], defaults: access)
        }
        let schema = table.node("action").flatMap { values.readSchema($0, path: path + ["action"]) }
        // Read by StreamSections, when all names are known.
        _ = table.node("on")
        // A retired reactor has no programs to read.
        let plan = table.isGiven("builtin") ? skipKind(&table) : readKind(&table)
        table.finish { key, node in
            guard case .table = node.content else { return nil }
            return "write a name with a dot as [reactor.\"\(name).\(key)\"]"
        }
        guard let plan else { return nil }
        var reactor = ConfiguredReactor(name: name, summary: summary, schema: schema, plan: plan)
        reactor.lines = programs.lines(of: path)
        reactor.plan.reactor = name
        reactor.persistence = persistence
        reactor.access = allowed ?? access
        return reactor
    }

    private func skipKind(_ table: inout TableReader) -> JqReactorPlan? {
        for key in ["initial", "mutate", "otherwise", "reduce", "merge"] { _ = table.node(key) }
        return nil
    }

    private func readKind(_ table: inout TableReader) -> JqReactorPlan? {
        let initial = readInitial(&table)
        let reduceNode = table.node("reduce")
        let reduce = reduceNode.flatMap { program($0, table.path + ["reduce"]) }
        if reduceNode == nil { table.fault("needs \"reduce\", a jq program over {state, mutation}") }
        let rules = readRules(&table)
        let otherwise = readOtherwise(&table)
        let merges = readMerges(&table)
        guard let initial, let reduce, let rules, let merges else { return nil }
        var programs = JqReactorPrograms(reduce: reduce)
        programs.rules = rules.map(\.rule)
        programs.ignoresOthers = otherwise == .ignore
        programs.merges = merges.map(\.program)
        var plan = JqReactorPlan(initial: initial, programs: programs)
        plan.actions = rules.map(\.action)
        plan.sources = merges.map(\.source)
        return plan
    }

    private func readInitial(_ table: inout TableReader) -> JSONValue? {
        guard let node = table.node("initial") else {
            table.fault("needs \"initial\", the first state: a value or the name of a .json file")
            return nil
        }
        let path = table.path + ["initial"]
        let value: JSONValue?
        if case .string(let name) = node.content, name.hasSuffix(".json") {
            value = values.readFile(name, node, path, atMost: ReactorDefinition.stateBytes)?.value()
        } else {
            value = values.readValue(node, path)
        }
        if let value, value.bytes(upTo: .max) > ReactorDefinition.stateBytes {
            faults.add("is longer than \(ReactorDefinition.stateBytes) bytes", at: node.place, key: path)
        }
        return value
    }

    private func readPersistence(_ table: inout TableReader) -> ReactorPersistence? {
        var persistence = ReactorPersistence()
        let persist = table.boolean("persist")
        let isKept = persist?.value ?? false
        if let durability = table.choice("durability", ReactorPersistence.Durability.self) {
            persistence.durability = durability
        }
        if let policy = table.choice("on-change", ReactorPersistence.ChangePolicy.self) {
            persistence.onChange = policy
        }
        if let history = table.integer("history", in: 1...Self.mostHistory) { persistence.history = history }
        if let bytes = table.bytes("history-bytes", in: Self.historyBytes) { persistence.historyBytes = bytes }
        for key in ["durability", "on-change", "history", "history-bytes"] where table.isGiven(key) && !isKept {
            faults.add("needs persist = true; otherwise nothing is kept", at: table.place, key: table.path + [key])
        }
        return isKept ? persistence : nil
    }

    // MARK: mutate

    private func readRules(_ table: inout TableReader) -> [(rule: JqReactorPrograms.Rule, action: String?)]? {
        guard let node = table.node("mutate") else { return [] }
        let rules = tables(node, table.path + ["mutate"]).map { $0.flatMap(readRule) }
        return rules.contains { $0 == nil } ? nil : rules.compactMap { $0 }
    }

    /// What happens to an action for which no rule holds.
    private enum Otherwise: String, CaseIterable {
        case refuse, ignore
    }

    private func readOtherwise(_ table: inout TableReader) -> Otherwise {
        if table.isGiven("otherwise"), !table.isGiven("mutate") {
            let message = "needs \"mutate\"; without rules, each action is the mutation"
            faults.add(message, at: table.place, key: table.path + ["otherwise"])
        }
        return table.choice("otherwise", Otherwise.self) ?? .refuse
    }

    private func readRule(_ reader: TableReader) -> (rule: JqReactorPrograms.Rule, action: String?)? {
        var table = reader
        programs.note(table.place, key: table.path)
        var rule = JqReactorPrograms.Rule()
        rule.when = program("when", &table, isCondition: true)
        rule.refuse = program("refuse", &table)
        if table.isGiven("refuse") {
            for key in ["mutation", "execute", "input", "element", "failure"] where table.isGiven(key) {
                table.refuse(key, "cannot be combined with \"refuse\", with which a rule does nothing else")
            }
            if !table.isGiven("when") {
                table.fault("needs \"when\"; without it, the reactor would refuse every action")
            }
            table.finish()
            return (rule, nil)
        }
        rule.mutation = program("mutation", &table)
        let action = table.node("execute").flatMap { name($0, among: actions, "action", table.path + ["execute"]) }
        rule.executes = table.isGiven("execute")
        rule.input = program("input", &table)
        rule.element = program("element", &table)
        rule.failure = program("failure", &table)
        if !rule.executes {
            for key in ["input", "element", "failure"] where table.isGiven(key) {
                faults.add("needs \"execute\" in the same rule", at: table.place, key: table.path + [key])
            }
            if !table.isGiven("mutation") { table.fault("needs \"mutation\", \"execute\", or \"refuse\"") }
        }
        table.finish()
        return rule.executes && action == nil ? nil : (rule, action)
    }

    // MARK: merge

    private func readMerges(
        _ table: inout TableReader
    ) -> [(program: String, source: JqReactorPlan.Source)]? {
        guard let node = table.node("merge") else { return [] }
        let merges = tables(node, table.path + ["merge"]).map { $0.flatMap(readMerge) }
        return merges.contains { $0 == nil } ? nil : merges.compactMap { $0 }
    }

    private func readMerge(_ reader: TableReader) -> (program: String, source: JqReactorPlan.Source)? {
        var table = reader
        let action = table.node("action")
        let reactor = table.node("reactor")
        let program = program("mutation", &table)
        if !table.isGiven("mutation") { table.fault("needs \"mutation\", a jq program") }
        defer { table.finish() }
        switch (action, reactor) {
        case (let node?, nil):
            guard let name = name(node, among: actions, "action", table.path + ["action"]), let program else {
                return nil
            }
            return (program, .action(name))
        case (nil, let node?):
            guard let name = name(node, among: reactors, "reactor", table.path + ["reactor"]), let program
            else { return nil }
            return (program, .reactor(name))
        case (nil, nil), (.some, .some):
            table.fault("needs \"action\" or \"reactor\", one of the two")
            return nil
        }
    }

    // MARK: Parts

    /// The elements as tables; nil, with a fault added, for each that is not one.
    private func tables(_ node: TOMLNode, _ path: [String]) -> [TableReader?] {
        guard case .array(let elements) = node.content else {
            faults.add("must be an array of tables, not \(node.kind)", at: node.place, key: path)
            return [nil]
        }
        return elements.enumerated().map { TableReader($1, path: path + ["[\($0)]"], faults: faults) }
    }

    private func name(_ node: TOMLNode, among names: Set<String>, _ what: String, _ path: [String]) -> String? {
        guard case .string(let text) = node.content else {
            faults.add("must be a string, not \(node.kind)", at: node.place, key: path)
            return nil
        }
        guard names.contains(text) else {
            let meant = nearest(to: text, among: names.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
            faults.add("there is no \(what) \"\(text)\"\(meant)", at: node.place, key: path)
            return nil
        }
        return text
    }

    private func program(_ key: String, _ table: inout TableReader, isCondition: Bool = false) -> String? {
        table.node(key).flatMap { program($0, table.path + [key], isCondition: isCondition) }
    }

    private func program(_ node: TOMLNode, _ path: [String], isCondition: Bool = false) -> String? {
        guard case .string(let text) = node.content else {
            faults.add("must be a jq program in a string, not \(node.kind)", at: node.place, key: path)
            return nil
        }
        programs.add(text, isCondition: isCondition, at: node.place, key: path)
        return text
    }
}
