internal import Rx
internal import RxPlatform
public import RxTime

/// The zone of the machine, which an administrator may change at any time. Schedules without a zone follow it.
public final class MachineZone: Sendable {
    /// Reads the zone again.
    public typealias Read = @Sendable () throws(ZoneFault) -> TimeZoneRules

    private struct State {
        var rules: TimeZoneRules
        var fault: ZoneFault?
        var isWatched = false
        var observers = ClockObservers()
    }

    private let read: Read
    private let state: Locked<State>

    /// The zone that `read` returns, which is called at once and at each `reread`. If it throws at first, the zone is
    /// UTC, as for the C library.
    public init(_ read: @escaping Read) {
        self.read = read
        var state = State(rules: .utc)
        do throws(ZoneFault) { state.rules = try read() } catch { state.fault = error }
        self.state = Locked(state)
    }

    /// The machine's zone by the variable TZ, if it is set, which does not change, and otherwise by /etc/localtime.
    public convenience init(files: ZoneFiles = .system(), variable: String?) {
        self.init { () throws(ZoneFault) in try files.machineZone(variable: variable) }
    }

    /// The clock changes of the zone.
    public var rules: TimeZoneRules { state.withLock { $0.rules } }

    /// Why the zone could not be read the last time; nil if it could.
    public var fault: ZoneFault? { state.withLock { $0.fault } }

    /// Reads the zone again; if it has changed, the observers are called. A zone that cannot be read stays as it was.
    public func reread() {
        let found: Result<TimeZoneRules, ZoneFault>
        do throws(ZoneFault) { found = .success(try read()) } catch { found = .failure(error) }
        let calls = state.withLock { state -> [AlarmHeap.Call] in
            switch found {
            case .failure(let fault):
                state.fault = fault
                return []
            case .success(let rules):
                state.fault = nil
                guard rules != state.rules else { return [] }
                state.rules = rules
                return state.observers.all
            }
        }
        for call in calls { call.queue.async(call.body) }
    }

    /// Reads the zone again unless something watches it and does so by itself.
    func rereadUnlessWatched() {
        if !state.withLock({ $0.isWatched }) { reread() }
    }

    func setWatched(_ isWatched: Bool) { state.withLock { $0.isWatched = isWatched } }

    /// Calls `body` on `queue` each time the zone has changed.
    func observe(on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) -> ClockObserver {
        state.withLock { $0.observers.add(AlarmHeap.Call(body: body, queue: queue)) }
    }

    func remove(_ observer: ClockObserver) { _ = state.withLock { $0.observers.remove(observer) } }
}
