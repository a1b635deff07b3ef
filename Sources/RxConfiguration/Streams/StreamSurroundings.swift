package import RxPlatform
package import RxProcess
package import RxStreams
package import RxTime

/// What the checks of streams and of commands need to know beyond the configuration.
package struct StreamSurroundings: Sendable {
    /// The time at which the configuration is read: what lies before it is past.
    package var now: Instant
    /// The time zones.
    package var zones: ZoneFiles
    /// What a source finds wrong with its own arguments, beyond their types: globs, names of signals, paths that it
    /// cannot read. A problem that may change from day to day must be a warning.
    package var problems: @Sendable (ExternalSource) -> [SourceProblem]
    /// Finds the programs of actions; nil to leave them unchecked.
    package var programs: ProgramCheck?

    package init(
        now: Instant, zones: ZoneFiles, problems: @escaping @Sendable (ExternalSource) -> [SourceProblem] = { _ in [] }
    ) {
        self.now = now
        self.zones = zones
        self.problems = problems
    }

    /// The time that `clock` shows now, and the machine's zones.
    package init(
        clock: WallClock, problems: @escaping @Sendable (ExternalSource) -> [SourceProblem] = { _ in [] }
    ) {
        self.init(now: Instant(microseconds: clock.milliseconds * 1000), zones: .system(), problems: problems)
    }

    /// The machine's zone, or UTC if it cannot be read.
    var machineZone: TimeZoneRules { (try? zones.machineZone(variable: nil)) ?? .utc }
}
