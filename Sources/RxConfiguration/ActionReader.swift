internal import RxProcess
internal import RxStreams
internal import RxHost
internal import RxJSON

/// Reads one `[action.NAME]`.
struct ActionReader {
    let defaults: ActionDefaults
    /// The value of `[access]`.
    let access: Access
    let accessReader: AccessReader
    let values: ValueReader
    let commands: CommandWarnings
    let reading: StreamReading
    /// The value of `stop-timeout`.
    let stopTimeout: Duration
    let faults: FaultList

    /// Nil, with faults added, for an invalid action.
    func read(name: String, node: TOMLNode) -> ConfiguredAction? {
        let path = ["action", name]
        guard var table = TableReader(node, path: path, faults: faults) else { return nil }
        if !ConfiguredName.isValid(name) { table.fault("a name \(ConfiguredName.rule)") }
        let summary = table.string("description").flatMap { $0.isEmpty ? nil : $0 }
        let by = readGroups(&table)
        let overlap = table.overlap(defaults: defaults.overlap, isGrouped: by != nil)
        let timeout = table.optionalDuration("timeout", atLeast: .milliseconds(1)).map(\.value) ?? defaults.timeout
        let schema = table.node("input").flatMap { values.readSchema($0, path: path + ["input"]) }
        let retry = table.retry().map(\.value) ?? defaults.retry
        let durable = table.boolean("durable")
        if let durable, durable.value, !overlap.isQueue {
            table.fault("needs overlap = \"queue\"; otherwise no input waits", at: durable.node, key: "durable")
        }
        let history = table.boolean("history")?.value
        let allowed = table.node("allow").flatMap {
            accessReader.read(allow: $0, path: path + ["allow"], defaults: access)
        }
        let enabled = table.node("enabled")
        let condition = enabled.flatMap { ConditionReader(reading: reading).action($0, path + ["enabled"]) }
        // Read by StreamSections, when all names are known.
        _ = table.node("on")
        let schedulerNode = table.node("scheduler")
        let kind = readKind(&table, schema)
        let scheduler = readScheduler(schedulerNode, kind: kind, table)
        table.finish { key, node in
            if let meant = Self.meant(by: key) { return meant }
            guard case .table = node.content else {
                return SourceTable.named(key).map { _ in "it belongs to a source: write on = { \(key) = … }" }
            }
            return "write a name with a dot as [action.\"\(name).\(key)\"]"
        }
        guard let kind else { return nil }
        var action = ConfiguredAction(
            name: name, summary: summary, overlap: overlap, scheduler: scheduler, timeout: timeout, retry: retry,
            isDurable: durable?.value ?? false, schema: schema, kind: kind)
        action.access = allowed ?? access
        action.condition = condition
        if condition != nil { action.conditionPlace = enabled.map { ConditionReader.placeOfProgram(in: $0) } }
        action.by = by
        // A value that equals the default must not change the fingerprint.
        if let history, history != action.keepsHistoryByDefault { action.keepsHistory = history }
        return action
    }

    /// What to write instead of a key that other tools have.
    private static func meant(by key: String) -> String? {
        switch key {
        case "schedule": "write on = { cron = … } or on = { calendar = … }"
        case "environment": "write env = { NAME = \"value\" }"
        case "directory", "workdir": "write cwd = \"/directory\""
        case "command", "exec": "write run = [\"program\", \"argument\"]"
        default: nil
        }
    }

    /// `by`: a jq program or `"none"`.
    private func readGroups(_ table: inout TableReader) -> StreamProgram? {
        guard let node = table.node("by") else { return nil }
        if case .string("none") = node.content { return nil }
        return ArgumentReader(reading: reading).program(node, .one, table.path + ["by"])
    }

    // MARK: Kinds

    private func readKind(_ table: inout TableReader, _ schema: JSONSchema?) -> ConfiguredAction.Kind? {
        let program = table.node("run")
        let builtinNode = table.node("builtin")
        switch (program, builtinNode) {
        case (nil, nil):
            table.fault("needs \"run\" (a program and its arguments) or \"builtin\"")
            // The other keys are checked as those of a process.
            _ = readProcess([], &table)
            return nil
        case (let program?, let builtinNode):
            if let builtinNode { table.fault("cannot be combined with \"run\"", at: builtinNode, key: "builtin") }
            let arguments = readArguments(program, table)
            if let schema, let arguments { warn(ofSecrets: schema, in: arguments, at: program, table) }
            let process = readProcess(arguments ?? [], &table)
            if let arguments { warn(of: process, arguments, at: program, table) }
            return arguments == nil ? nil : .process(process)
        case (nil, let builtinNode?):
            for key in ["output", "cwd", "env", "grace"] { table.refuse(key, "is a key of process actions") }
            guard case .string(let text) = builtinNode.content else {
                table.fault("must be a string, not \(builtinNode.kind)", at: builtinNode, key: "builtin")
                return nil
            }
            guard let builtin = Builtin(rawValue: text) else {
                let names = Builtin.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                table.fault("must be one of \(names), not \"\(text)\"", at: builtinNode, key: "builtin")
                return nil
            }
            return .builtin(builtin)
        }
    }

    private func readScheduler(
        _ node: TOMLNode?, kind: ConfiguredAction.Kind?, _ table: TableReader
    ) -> WorkScheduler? {
        guard let node else { return defaults.scheduler }
        switch (node.content, kind) {
        case (.string("auto"), _): return nil
        case (.string("serial"), _): return .serial
        case (.string("inline"), .builtin): return .inline
        case (.string("inline"), _):
            table.fault(
                "\"inline\" is only for built-ins: a process would block every client", at: node, key: "scheduler")
        case (.string(let text), _):
            table.fault("must be one of \"auto\", \"serial\", \"inline\", not \"\(text)\"", at: node, key: "scheduler")
        default:
            table.fault("must be a string, not \(node.kind)", at: node, key: "scheduler")
        }
        return nil
    }

    private func readProcess(_ arguments: [ProcessArgument], _ table: inout TableReader) -> ProcessDefinition {
        var process = ProcessDefinition(arguments: arguments)
        process.output = table.choice("output", ProcessOutput.self) ?? defaults.output
        process.grace = table.duration("grace") ?? defaults.grace
        table.warn(ofGrace: process.grace, beyond: stopTimeout)
        process.cwd = table.workingDirectory().map(\.value) ?? defaults.cwd
        process.environment = defaults.environment.merging(table.environment() ?? [:]) { $1 }
        return process
    }

    // MARK: run

    private func readArguments(_ node: TOMLNode, _ table: TableReader) -> [ProcessArgument]? {
        guard case .array(let elements) = node.content else {
            table.fault("must be an array, such as [\"df\", \"-h\"], not \(node.kind)", at: node, key: "run")
            return nil
        }
        guard !elements.isEmpty else {
            table.fault("must name a program", at: node, key: "run")
            return nil
        }
        let arguments = elements.enumerated().map { index, element in
            readArgument(element, path: table.path + ["run", "[\(index)]"], isProgram: index == 0)
        }
        return arguments.contains { $0 == nil } ? nil : arguments.compactMap { $0 }
    }

    private func readArgument(_ node: TOMLNode, path: [String], isProgram: Bool) -> ProcessArgument? {
        switch node.content {
        case .string(let text):
            guard !(isProgram && text.isEmpty) else {
                faults.add("must name a program", at: node.place, key: path)
                return nil
            }
            return .text(text)
        case .table where isProgram:
            faults.add("must be a string: a client cannot choose the program", at: node.place, key: path)
            return nil
        case .table:
            guard var table = TableReader(node, path: path, faults: faults) else { return nil }
            defer { table.finish() }
            let isFile = table.choice("as", among: [("argument", false), ("file", true)]) ?? false
            guard let pointerNode = table.node("input") else {
                table.fault("needs \"input\", a JSON pointer such as \"/name\"")
                return nil
            }
            guard case .string(let text) = pointerNode.content, let pointer = try? JSONPointer(text) else {
                table.fault("must be a JSON pointer such as \"/name\"", at: pointerNode, key: "input")
                return nil
            }
            return isFile ? .file(pointer, text) : .pointer(pointer, text)
        case .integer, .float, .boolean, .array, .time:
            faults.add(
                "must be a string or { input = \"/pointer\" }, not \(node.kind)", at: node.place, key: path)
            return nil
        }
    }

    /// Warns of a program or a directory that is not there, and of what only a shell would understand.
    private func warn(
        of process: ProcessDefinition, _ arguments: [ProcessArgument], at node: TOMLNode, _ table: TableReader
    ) {
        guard case .array(let elements) = node.content else { return }
        let words = zip(arguments, elements).map { argument, element in
            guard case .text(let text) = argument else { return (text: String?.none, place: element.place) }
            return (text, element.place)
        }
        commands.warn(of: words, cwd: process.cwd, environment: process.environment, path: table.path + ["run"])
        if let cwd = process.cwd, table.isGiven("cwd") {
            commands.warn(ofDirectory: cwd, at: table.place(of: "cwd"), key: table.path + ["cwd"])
        }
    }

    /// Warns of each argument that shows a secret part of the input to every user of the machine.
    private func warn(
        ofSecrets schema: JSONSchema, in arguments: [ProcessArgument], at node: TOMLNode, _ table: TableReader
    ) {
        guard case .array(let elements) = node.content else { return }
        for (index, (argument, element)) in zip(arguments, elements).enumerated() {
            guard case .pointer(let pointer, let text) = argument, schema.hides(pointer) else { continue }
            faults.warn(
                """
                every user of the machine can read arguments, and the schema marks \
                \(text.isEmpty ? "the input" : text) as writeOnly; pass the path of a file instead: \
                { input = "\(text)", as = "file" }
                """, at: element.place, key: table.path + ["run", "[\(index)]"])
        }
    }
}
