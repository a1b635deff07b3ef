/// One case: the same work done by each contender, the first of which is ours.
struct Comparison {
    struct Contender {
        let name: String
        /// Sends this many events through and returns a checksum that all contenders share.
        let send: (Int) -> Int
    }

    /// Long enough for the clock, short enough for a dozen cases in a minute.
    static let eventsPerRound = 1_000_000
    static let rounds = 7

    let name: String
    let contenders: [Contender]

    func measure() -> Figures {
        let clock = ContinuousClock()
        var times = [[Double]](repeating: [], count: contenders.count)
        for round in 0...Self.rounds {
            var checksums: Set<Int> = []
            for (index, contender) in contenders.enumerated() {
                let duration = clock.measure { checksums.insert(contender.send(Self.eventsPerRound)) }
                // The first round warms up.
                if round > 0 { times[index].append(duration / .nanoseconds(1) / Double(Self.eventsPerRound)) }
            }
            precondition(checksums.count == 1, "\(name): the contenders disagree: \(checksums)")
        }
        return Figures(
            name: name, contenders: zip(contenders, times).map { ($0.name, $1.sorted()[Self.rounds / 2]) })
    }
}
