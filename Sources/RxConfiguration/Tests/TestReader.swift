internal import RxHost
internal import RxJSON
internal import RxStreamTest
internal import RxStreams

/// Reads one `[test.NAME]`.
struct TestReader {
    /// Most outcomes in a `mock`; the last one repeats.
    static let mostOutcomes = 10_000

    let reading: StreamReading

    /// Nil, with faults added, for an invalid test.
    func read(name: String, _ node: TOMLNode) -> ConfiguredTest? {
        guard var table = TableReader(node, path: ["test", name], faults: reading.faults) else { return nil }
        defer { table.finish() }
        if !ConfiguredName.isValid(name) { table.fault("a name \(ConfiguredName.rule)") }
        reading.notes.begin(table.path, at: table.place)
        let target = target(&table)
        let given = given(&table)
        let values = values(&table)
        let expect = table.node("expect").map { marbles($0, table.path + ["expect"]) }
        if expect == nil { table.fault("needs \"expect\", such as \"a 1s b\"") }
        let from = timeText("from", .time(.at), &table)
        let to = timeText("to", .time(.at), &table)
        let zone = timeText("zone", .zone, &table)
        let mock = mocks(&table)
        guard let target, case .some(.some(let expect)) = expect else { return nil }
        return ConfiguredTest(
            definition: StreamTestDefinition(
                name: name, target: target, given: given, values: values, from: from, to: to, zone: zone, mock: mock,
                expect: expect),
            line: SourceLine(file: node.place.file, line: node.place.line), lines: reading.notes.end())
    }

    // MARK: Parts

    private func target(_ table: inout TableReader) -> StreamTestDefinition.Target? {
        let kinds: [(StreamNames.Kind, (String) -> StreamTestDefinition.Target)] = [
            (.stream, { .stream($0) }), (.action, { .action($0) }), (.reactor, { .reactor($0) }),
        ]
        var targets: [StreamTestDefinition.Target?] = []
        for (kind, make) in kinds {
            guard let node = table.node(kind.rawValue) else { continue }
            let path = table.path + [kind.rawValue]
            targets.append(ArgumentReader(reading: reading).name(node, kind, path).map(make))
        }
        guard targets.count == 1 else {
            table.fault("needs one of \"stream\", \"action\", and \"reactor\": what is tested")
            return nil
        }
        return targets[0]
    }

    /// Words of marbles; nil, with a fault added, if they are malformed.
    private func marbles(_ node: TOMLNode, _ path: [String]) -> String? {
        guard case .string(let text) = node.content else {
            reading.faults.add("must be a string such as \"a 1s b\", not \(node.kind)", at: node.place, key: path)
            return nil
        }
        reading.notes.add(node.place, key: path)
        do {
            _ = try MarbleText(parsing: text)
            return text
        } catch {
            reading.faults.add("\(error)", at: node.place, key: path)
            return nil
        }
    }

    /// `{ saves = "a 1s b", "action:x" = "a", source = "a" }`
    private func given(_ table: inout TableReader) -> [String: String] {
        let path = table.path + ["given"]
        guard let node = table.node("given"), let given = TableReader(node, path: path, faults: reading.faults)
        else { return [:] }
        var marbles: [String: String] = [:]
        for (name, member) in given.members.sorted(by: { $0.key < $1.key }) {
            if let message = fault(ofGiven: name) { given.fault(message, at: member, key: name) }
            marbles[name] = self.marbles(member, path + [name])
        }
        return marbles
    }

    private func fault(ofGiven name: String) -> String? {
        if name == "source" { return nil }
        guard let colon = name.firstIndex(of: ":") else { return reading.names.fault(name, .stream) }
        let kind = String(name[..<colon])
        guard let row = SourceTable.named(kind) else {
            let meant = nearest(to: kind, among: SourceTable.all.map(\.name)).map { "; did you mean \"\($0)\"?" } ?? ""
            return "there is no source \"\(kind)\"\(meant)"
        }
        let argument = String(name[name.index(after: colon)...])
        if row.main.kinds.contains(.actions) { return reading.names.fault(argument, .action) }
        return row.main.kinds.contains(.reactor) ? reading.names.fault(argument, .reactor) : nil
    }

    private func values(_ table: inout TableReader) -> [Character: RawJSON] {
        let path = table.path + ["values"]
        guard let node = table.node("values"), let values = TableReader(node, path: path, faults: reading.faults)
        else { return [:] }
        var result: [Character: RawJSON] = [:]
        for (letter, member) in values.members.sorted(by: { $0.key < $1.key }) {
            guard letter.utf8.count == 1, let byte = letter.utf8.first, Self.isLetter(byte) else {
                values.fault("is not one letter from a to z or A to Z", at: member, key: letter)
                continue
            }
            reading.notes.add(member.place, key: path + [letter])
            if let value = reading.values.readValue(member, path + [letter]) {
                result[Character(letter)] = RawJSON(value)
            }
        }
        return result
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private func timeText(_ key: String, _ kind: Parameter.Kind, _ table: inout TableReader) -> String? {
        guard let node = table.node(key) else { return nil }
        let path = table.path + [key]
        guard kind.accepts(node.content) else {
            table.fault("must be \(kind), not \(node.kind)", at: node, key: key)
            return nil
        }
        guard case .text(let text)? = TimeReader(reading: reading).value(node, kind, path) else { return nil }
        reading.notes.add(node.place, key: path)
        return text
    }

    // MARK: mock

    private func mocks(_ table: inout TableReader) -> [String: [MockOutcome]] {
        let path = table.path + ["mock"]
        guard let node = table.node("mock"), let mock = TableReader(node, path: path, faults: reading.faults)
        else { return [:] }
        var mocks: [String: [MockOutcome]] = [:]
        for (action, member) in mock.members.sorted(by: { $0.key < $1.key }) {
            if let message = reading.names.fault(action, .action) { mock.fault(message, at: member, key: action) }
            guard case .array(let elements) = member.content, (1...Self.mostOutcomes).contains(elements.count) else {
                mock.fault(
                    "must be an array of 1 to \(Self.mostOutcomes) outcomes such as [{ elements = [\"ok\"] }]",
                    at: member, key: action)
                continue
            }
            mocks[action] = elements.enumerated().compactMap { outcome($1, path + [action, "[\($0)]"]) }
        }
        return mocks
    }

    private func outcome(_ node: TOMLNode, _ path: [String]) -> MockOutcome? {
        guard var table = TableReader(node, path: path, faults: reading.faults) else { return nil }
        defer { table.finish() }
        let takes = table.duration("takes")?.microseconds ?? 0
        let elements = table.node("elements")
        let error = table.node("error")
        let refused = table.string("refused")
        guard [elements != nil, error != nil, refused != nil].count(where: { $0 }) <= 1 else {
            table.fault("must be only one of \"elements\", \"error\", and \"refused\"")
            return nil
        }
        var result = MockOutcome.Result.elements([])
        if let refused { result = .refused(refused) }
        if let error {
            guard let value = reading.values.readValue(error, path + ["error"]) else { return nil }
            result = .error(RawJSON(value))
        }
        if let elements {
            guard case .array(let nodes) = elements.content else {
                table.fault("must be an array, not \(elements.kind)", at: elements, key: "elements")
                return nil
            }
            let values = nodes.enumerated().compactMap { index, element in
                reading.values.readValue(element, path + ["elements", "[\(index)]"]).map { RawJSON($0) }
            }
            result = .elements(values)
        }
        return MockOutcome(result, takes: takes)
    }
}
