internal import RxHost
internal import RxStreams

/// Reads all streams and bindings of a configuration, and checks them together.
struct StreamSections {
    let reader: StreamReader

    /// Puts the streams and the bindings into `configuration`, whose actions and reactors have been read.
    func read(
        streams nodes: [String: TOMLNode], actions: [String: TOMLNode], reactors: [String: TOMLNode],
        into configuration: inout Configuration
    ) {
        var streams = nodes.sorted { $0.key < $1.key }.compactMap { reader.read(stream: $0.key, $0.value) }
        var bindings: [ReadBinding] = []
        func readOn(of nodes: [String: TOMLNode], _ target: (String) -> BindingDefinition.Target) {
            for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
                guard case .table(let members) = node.content, let on = members["on"] else { continue }
                let read = reader.read(on: on, of: target(name))
                streams += read.streams
                bindings += read.bindings
            }
        }
        readOn(of: actions) { .action($0) }
        readOn(of: reactors) { .reactor($0) }
        configuration.streams = streams.map(\.stream).sorted { $0.name < $1.name }
        configuration.bindings = bindings.map(\.definition)
        let faults = reader.reading.faults
        LevelCheck(streams, faults).run()
        refuseStreamCycles(streams, faults)
        refuseLateSlots(streams, bindings, configuration.actions, faults)
        StreamGraph(streams, bindings, configuration).warnOfFeedback(faults)
        warnOfUnused(streams, bindings, configuration.actions, faults)
    }
}
