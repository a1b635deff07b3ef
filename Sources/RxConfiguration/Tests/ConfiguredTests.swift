internal import RxHost

extension Configuration {
    /// Reads the tables `[test.NAME]` of `directory/tests/*.toml`, in the order of their names. Without the directory
    /// there are none. What they name must be in this configuration.
    package func tests(
        directory: String, surroundings: StreamSurroundings
    ) throws(ConfigurationErrors) -> [ConfiguredTest] {
        let faults = FaultList()
        let paths = ConfigurationFiles.tests(directory: directory, faults: faults)
        let files = paths.compactMap { ConfigurationFiles.read($0, isOptional: false, faults: faults) }
        var nodes: [String: TOMLNode] = [:]
        for root in files.compactMap({ TOMLFile.parse($0, faults: faults) }) {
            guard var table = TableReader(root, path: [], faults: faults) else { continue }
            for section in ["rxd", "limits", "history", "access", "defaults", "action", "reactor", "stream"] {
                table.refuse(section, "does not belong to a test; write it into rxd.toml or a file of conf.d")
            }
            let tests = table.node("test")
            table.finish()
            guard let tests, let reader = TableReader(tests, path: ["test"], faults: faults) else { continue }
            for (name, node) in reader.members.sorted(by: { $0.key < $1.key }) {
                if let first = nodes[name]?.place {
                    faults.add(
                        "defined twice; first at \(first.file):\(first.line)", at: node.place, key: ["test", name])
                } else {
                    nodes[name] = node
                }
            }
        }
        let names = StreamNames(self)
        let reading = StreamReading(
            names: names, values: ValueReader(directory: directory, faults: faults), programs: ProgramList(),
            surroundings: surroundings, faults: faults)
        let tests = nodes.sorted { $0.key < $1.key }.compactMap {
            TestReader(reading: reading).read(name: $0.key, $0.value)
        }
        guard faults.isEmpty else { throw ConfigurationErrors(faults: faults.sorted(files: paths)) }
        return tests
    }
}
