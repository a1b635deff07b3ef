internal import RxJSON
internal import RxStreams

/// The sources whose elements a test gives.
struct GivenSources {
    private let ports: [ExternalPort]
    private let merged: [TestedReactor.Source]

    /// - Parameter merged: what the reactors of the test merge.
    init(_ ports: [ExternalPort], merged: [TestedReactor.Source]) {
        self.ports = ports
        self.merged = merged
    }

    /// Schedules the events of all texts.
    ///
    /// - Parameter merge: receives the elements that the test gives for what reactors merge.
    func schedule(
        _ test: StreamTestDefinition, on clock: TestClock,
        merge: @escaping (TestedReactor.Source, RawJSON) -> Void
    ) throws(StreamTestFault) {
        for (name, text) in test.given.sorted(by: { $0.key < $1.key }) {
            let marbles = try MarbleText(text, of: "given", name)
            let merged = merged.first { $0.label == name }
            let ports = try ports(named: name, isMerged: merged != nil)
            for port in ports { port.isGiven = true }
            for event in marbles.events {
                clock.after(event.moment) {
                    if let merged, case .element(let letter) = event.symbol { merge(merged, test.value(letter)) }
                    for port in ports {
                        switch event.symbol {
                        case .element(let letter): port.send(test.value(letter))
                        case .error: port.fail()
                        case .end: port.finish()
                        }
                    }
                }
            }
        }
    }

    private func ports(named name: String, isMerged: Bool) throws(StreamTestFault) -> [ExternalPort] {
        let labeled = ports.filter { port in
            port.labels.contains(name) || port.labels.contains("action:*") && name.hasPrefix("action:")
        }
        if isMerged || !labeled.isEmpty { return labeled }
        let candidates = ports.filter { !$0.isTime && (name == "source" || $0.stream.name == name) }
        switch candidates.count {
        case 1: return candidates
        case 0:
            throw StreamTestFault(
                name == "source" ? "there is no source that needs elements" : "the test runs no source \"\(name)\"",
                key: "given", name)
        default:
            let names = candidates.map { $0.labels.first ?? $0.stream.name }.joined(separator: ", ")
            throw StreamTestFault("may mean several sources; name one of \(names)", key: "given", name)
        }
    }
}
