internal import CAllocations

/// One case: the same work done by each contender, the first of which is ours.
struct Comparison {
    struct Contender {
        let name: String
        /// Sends this many events through and returns a checksum that all contenders share.
        let send: (Int) -> Int
    }

    static let rounds = 9

    let name: String
    /// How many times the closures ours may take.
    let goal: Double
    /// Long enough for the clock, short enough for a dozen cases in a minute.
    var eventsPerRound = 500_000
    var contenders: [Contender]

    func only(_ name: String?) -> Comparison {
        var copy = self
        if let name { copy.contenders = contenders.filter { $0.name == name } }
        return copy
    }

    /// One round of each after the other, so that what disturbs the machine disturbs all.
    func measure() -> Figures {
        let clock = ContinuousClock()
        var times = [[Double]](repeating: [], count: contenders.count)
        var allocations: [Double] = []
        for round in 0...Self.rounds {
            var checksums: Set<Int> = []
            for (index, contender) in contenders.enumerated() {
                if round == 0 {
                    // Warms up, and counts what the other rounds do not.
                    allocations_begin()
                    checksums.insert(contender.send(eventsPerRound))
                    allocations.append(Double(allocations_end()) / Double(eventsPerRound))
                } else {
                    let duration = clock.measure { checksums.insert(contender.send(eventsPerRound)) }
                    times[index].append(duration / .nanoseconds(1) / Double(eventsPerRound))
                }
            }
            precondition(checksums.count == 1, "\(name): the contenders disagree: \(checksums)")
        }
        return Figures(
            name: name, goal: goal,
            contenders: contenders.indices.map { index in
                .init(
                    name: contenders[index].name, nanoseconds: median(times[index]),
                    allocations: allocations[index],
                    ratio: median(zip(times[0], times[index]).map { $0 / $1 }))
            })
    }
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
