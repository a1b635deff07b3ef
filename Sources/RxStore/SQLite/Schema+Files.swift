extension Schema {
    /// rxd.db; its application ID is "rxd" and a 1.
    static let executions = Schema(applicationID: 0x7278_6431, steps: [.executions, .commits, .keyOutcomes])

    /// reactors.db; its application ID is "rxd" and a 2.
    static let reactors = Schema(
        applicationID: 0x7278_6432, steps: [.reactors, .reactorStepStart, .commits, .reactorExtents])
}
