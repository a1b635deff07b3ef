internal import Logging
internal import RxProtocol

/// Merges the sections of all files and reads them into a `Configuration`.
struct ConfigurationReader {
    /// The directory that names of files are relative to.
    var directory = "."
    var identities = Identities.system
    let surroundings: StreamSurroundings
    /// The texts of programs that need not be compiled.
    var validPrograms: Set<String> = []
    let faults: FaultList

    /// - Parameter files: the texts of the roots, for the places of faults in programs.
    func read(_ roots: [TOMLNode], of files: [ConfigurationFile] = []) -> Configuration {
        let sections = self.sections(of: roots)
        func reader(_ name: String) -> TableReader? {
            sections[name].map { TableReader(path: [name], place: $0.place, members: $0.members, faults: faults) }
        }
        var configuration = Configuration()
        if let table = reader("rxd") { read(daemon: table, into: &configuration) }
        if let table = reader("history") { read(history: table, into: &configuration) }
        if let table = reader("limits") { configuration.limits = limits(table) }
        let access = AccessReader(identities: identities, faults: faults)
        if let table = reader("access") { (configuration.access, configuration.contact) = access.read(section: table) }
        let values = ValueReader(directory: directory, faults: faults)
        let defaults = reader("defaults").map(ActionDefaults.init) ?? ActionDefaults()
        reader("defaults")?.warn(ofGrace: defaults.grace, beyond: configuration.stopTimeout)
        let commands = CommandWarnings(programs: surroundings.programs, faults: faults)
        if let table = reader("defaults"), let cwd = defaults.cwd {
            commands.warn(ofDirectory: cwd, at: table.place(of: "cwd"), key: ["defaults", "cwd"])
        }
        let actions = sections["action"]?.members ?? [:]
        let reactors = sections["reactor"]?.members ?? [:]
        let streams = sections["stream"]?.members ?? [:]
        let programs = ProgramList(known: validPrograms)
        let reading = StreamReading(
            names: StreamNames(actions: actions, reactors: reactors, streams: streams, faults), values: values,
            programs: programs, surroundings: surroundings, faults: faults)
        configuration.actions = actions.sorted { $0.key < $1.key }.compactMap { name, node in
            ActionReader(
                defaults: defaults, access: configuration.access, accessReader: access, values: values,
                commands: commands, reading: reading, stopTimeout: configuration.stopTimeout, faults: faults
            ).read(name: name, node: node)
        }
        configuration.reactors = reactors.sorted { $0.key < $1.key }.compactMap { name, node in
            ReactorReader(
                actions: Set(actions.keys), reactors: Set(reactors.keys), access: configuration.access,
                accessReader: access, values: values, programs: programs, faults: faults
            ).read(name: name, node: node)
        }
        refuseMergeCycles(configuration.reactors, reactors, faults)
        StreamSections(
            reader: StreamReader(reading: reading, access: configuration.access, accessReader: access)
        ).read(streams: streams, actions: actions, reactors: reactors, into: &configuration)
        programs.check(faults, in: files)
        configuration.validPrograms = programs.compiled
        return configuration
    }

    /// The sections by name, each over all files.
    private func sections(of roots: [TOMLNode]) -> [String: Section] {
        var sections: [String: Section] = [:]
        for root in roots {
            guard var table = TableReader(root, path: [], faults: faults) else { continue }
            for name in ["rxd", "limits", "history", "access", "defaults", "action", "reactor", "stream"] {
                guard let node = table.node(name), let reader = TableReader(node, path: [name], faults: faults)
                else { continue }
                sections[name, default: Section(place: reader.place)].merge(node, name: name, faults: faults)
            }
            table.refuse(
                "trigger", "is not a section; what starts an action is its key `on`, such as on = { every = \"1h\" }")
            table.refuse("test", "belongs in a file of the directory tests: tests/NAME.toml")
            table.finish()
        }
        return sections
    }

    private func read(daemon table: TableReader, into configuration: inout Configuration) {
        var table = table
        if let value = table.duration("stop-timeout") { configuration.stopTimeout = value }
        if let value = table.duration("key-lifetime") { configuration.keyLifetime = value }
        if let value = table.choice("log-level", Logger.Level.self) { configuration.logLevel = value }
        table.finish()
    }

    private func read(history table: TableReader, into configuration: inout Configuration) {
        var table = table
        if let value = table.integer("count", in: 0...100_000_000) { configuration.historyCount = value }
        if let value = table.duration("age") { configuration.historyAge = value }
        if let value = table.bytes("output", in: 0...Self.mostOutput) { configuration.historyOutput = value }
        if let value = table.bytes("bytes", in: 1 << 20...1 << 44) { configuration.historyBytes = value }
        if let value = table.bytes("state-bytes", in: 1 << 20...1 << 44) { configuration.stateBytes = value }
        table.finish()
    }

    /// The most output that is kept of one execution: it is in memory while the execution is in flight, and an answer
    /// of `execution.output` has all of it.
    private static let mostOutput = 16 << 20

    /// One section over all files. A key belongs to one file.
    private struct Section {
        let place: SourcePlace
        var members: [String: TOMLNode] = [:]

        mutating func merge(_ node: TOMLNode, name: String, faults: FaultList) {
            guard case .table(let added) = node.content else { return }
            for (key, value) in added {
                guard let first = members[key] else {
                    members[key] = value
                    continue
                }
                let verb = ["action", "reactor", "stream"].contains(name) ? "defined" : "set"
                faults.add(
                    "\(verb) twice; first at \(first.place.file):\(first.place.line)", at: value.place,
                    key: [name, key])
            }
        }
    }

    private func limits(_ table: TableReader) -> Limits {
        var table = table
        var limits = Limits()
        func take(_ key: String, _ path: WritableKeyPath<Limits, Int>, _ range: ClosedRange<Int>) {
            if let value = table.integer(key, in: range) { limits[keyPath: path] = value }
        }
        func takeBytes(_ key: String, _ path: WritableKeyPath<Limits, Int>, _ range: ClosedRange<Int>) {
            if let value = table.bytes(key, in: range) { limits[keyPath: path] = value }
        }
        // The upper bounds protect the memory and the stack against typing errors; the lower bounds leave room for the
        // protocol's own messages.
        takeBytes("lineBytes", \.lineBytes, 4096...268_435_456)
        take("depth", \.depth, 4...1024)
        take("batch", \.batch, 1...65_536)
        take("elementsPerReply", \.elementsPerReply, 0...10_000_000)
        takeBytes("outboxBytes", \.outboxBytes, 4096...1_073_741_824)
        take("buffer", \.buffer, 1...1_000_000)
        take("subscriptionsPerConnection", \.subscriptionsPerConnection, 1...1_000_000)
        take("connections", \.connections, 1...1_000_000)
        take("connectionsPerUid", \.connectionsPerUid, 1...1_000_000)
        take("replayEvents", \.replayEvents, 0...1_000_000)
        takeBytes("replayBytes", \.replayBytes, 0...1_073_741_824)
        takeBytes("replayBytesOfAll", \.replayBytesOfAll, 0...17_179_869_184)
        takeBytes("bytesPerUid", \.bytesPerUid, 65_536...17_179_869_184)
        take("keys", \.keys, 1...1_000_000)
        take("keysPerUid", \.keysPerUid, 1...1_000_000)
        table.finish()
        return limits
    }
}
