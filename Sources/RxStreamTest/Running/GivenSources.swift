internal import RxStreams

/// The sources whose elements a test gives.
struct GivenSources {
    private let ports: [ExternalPort]

    init(_ ports: [ExternalPort]) { self.ports = ports }

    /// Schedules the events of all texts.
    func schedule(_ test: StreamTestDefinition, on clock: TestClock) throws(TestFault) {
        for (name, text) in test.given.sorted(by: { $0.key < $1.key }) {
            let marbles = try MarbleText(text, of: "given: \(name)")
            let ports = try ports(named: name)
            for port in ports { port.isGiven = true }
            for event in marbles.events {
                clock.after(event.moment) {
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

    private func ports(named name: String) throws(TestFault) -> [ExternalPort] {
        let labeled = ports.filter { port in
            port.labels.contains(name) || port.labels.contains("action:*") && name.hasPrefix("action:")
        }
        if !labeled.isEmpty { return labeled }
        let candidates = ports.filter { !$0.isTime && (name == "source" || $0.stream.name == name) }
        switch candidates.count {
        case 1: return candidates
        case 0:
            throw TestFault(
                name == "source"
                    ? "given: there is no source that needs elements" : "given: the test runs no source \"\(name)\"")
        default:
            let names = candidates.map { $0.labels.first ?? $0.stream.name }.joined(separator: ", ")
            throw TestFault("given: \"\(name)\" may mean several sources; name one of \(names)")
        }
    }
}
