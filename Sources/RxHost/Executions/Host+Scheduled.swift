package import RxRecords

extension Host {
    /// Has executions start at their times by this clock. Those that wait already are among them.
    public func start(by times: any StartTimes) { services.scheduled.times = times }

    /// Whether executions can start at a time.
    public var canSchedule: Bool { services.scheduled.times != nil }

    /// How many executions wait for their time, or for the ends of others.
    public var scheduledCount: Int { services.scheduled.count }

    /// When the next execution that waits for its time starts, by the names of actions; in milliseconds since 1970.
    public var scheduledTimes: [String: Int64] { services.scheduled.nextTimes }

    /// The executions of an action that wait for their time, the next one first; times in milliseconds since 1970.
    public func scheduled(of action: HostedAction) -> [(execution: HostedExecution, dueAt: Int64)] {
        services.scheduled.dated(of: action)
    }

    /// The ends of other executions that an execution still waits for (`after`); nil if there are none.
    package func awaited(by execution: HostedExecution) -> AwaitedEnds? { services.scheduled.awaited(by: execution) }
}
