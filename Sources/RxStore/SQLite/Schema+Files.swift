extension Schema {
    /// rxd.db; its application ID is "rxd" and a 1.
    static let executions = Schema(
        applicationID: 0x7278_6431,
        steps: [
            .executions, .commits, .keyOutcomes, .log, .output, .streams, .streamEvents, .dueTimes, .waits, .attempts,
            .epochs, .holes, .marks, .switchEvents, .names, .marksOfKinds, .marked,
        ],
        rowChecks: [.executions])

    /// reactors.db; its application ID is "rxd" and a 2.
    static let reactors = Schema(
        applicationID: 0x7278_6432, steps: [.reactors, .reactorStepStart, .commits, .reactorExtents, .marked],
        rowChecks: [.steps, .snapshots])
}

extension Schema.RowCheck {
    fileprivate static let executions = Schema.RowCheck(query: "SELECT \(RowDecoder.columns) FROM executions") { _ in
        let decoder = RowDecoder()
        return { decoder.record($0) != nil }
    }

    fileprivate static let steps = Schema.RowCheck(query: "SELECT \(StepDecoder.columns) FROM steps") { path in
        let decoder = StepDecoder(path: path)
        return { decoder.step($0) != nil }
    }

    fileprivate static let snapshots = Schema.RowCheck(
        query: "SELECT revision, time, fingerprint, state FROM snapshots"
    ) { path in
        let decoder = StepDecoder(path: path)
        return { decoder.snapshot($0) != nil }
    }
}
