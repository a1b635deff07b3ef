internal import RxJSON
internal import RxStreams
internal import RxTime

/// The sources whose elements are times.
struct TimeSources {
    private let ports: [ExternalPort]
    private let period: TestPeriod
    private unowned let clock: TestClock

    /// The sources of time among `ports` whose elements the test does not give.
    init(_ ports: [ExternalPort], _ period: TestPeriod, _ clock: TestClock) {
        self.ports = ports.filter { $0.isTime && !$0.isGiven }
        self.period = period
        self.clock = clock
    }

    /// Schedules the first slot of each; each slot schedules the next one.
    func schedule() throws(StreamTestFault) {
        for port in ports {
            switch port.source.kind {
            case "start": clock.after(0) { port.send(RawJSON(["stopped": nil])) }
            case "after": wait(port)
            default:
                let (schedule, zone) = try schedule(port.source)
                scheduleSlot(after: period.start, of: schedule, zone, port)
            }
        }
    }

    private func scheduleSlot(
        after time: Instant, of schedule: Schedule, _ zone: TimeZoneRules, _ port: ExternalPort
    ) {
        guard let slot = schedule.next(after: time) else { return port.finish() }
        if let end = period.end, slot > end { return }
        clock.at(slot) {
            port.send(SlotElement(scheduled: slot, zone: zone, fired: slot, missed: 0).json, scheduled: slot)
            scheduleSlot(after: slot, of: schedule, zone, port)
        }
    }

    /// `after` counts from the start, then from the end of each execution.
    private func wait(_ port: ExternalPort) {
        clock.after(port.source.duration("after") ?? 0) {
            let now = clock.now
            let slot = SlotElement(scheduled: now, zone: period.zone, fired: now, missed: 0)
            port.send(slot.json, scheduled: now)
        }
    }

    /// Counts `after` again: an execution that a binding of the stream started has ended.
    func executionEnded(of stream: String) {
        for port in ports where port.stream.name == stream && port.source.kind == "after" { wait(port) }
    }

    private func schedule(_ source: ExternalSource) throws(StreamTestFault) -> (Schedule, TimeZoneRules) {
        do {
            var zone = period.zone
            if let name = source.text("zone") { zone = try period.zones.zone(named: name) }
            let text = source.text(source.kind) ?? ""
            switch source.kind {
            case "every":
                let distance = source.duration("every") ?? 0
                return (.every(try EverySchedule(microseconds: distance, zone: zone)), zone)
            case "calendar":
                let expression = try CalendarExpression(text)
                if let named = expression.zone { zone = try named.rules(local: zone, files: period.zones) }
                return (expression.schedule(in: zone), zone)
            case "cron": return (try CronExpression(text).schedule(in: zone), zone)
            default: return (try AtTime(text).schedule(in: zone), zone)
            }
        } catch {
            throw StreamTestFault("the source \"\(source.kind)\": \(error)")
        }
    }
}

extension SlotElement {
    fileprivate var json: RawJSON {
        var writer = JSONWriter(reserving: 160)
        writer.object {
            $0.field("scheduled", scheduled)
            $0.field("local", local)
            $0.field("fired", fired)
            $0.field("missed", missed)
        }
        return RawJSON(unchecked: writer.bytes)
    }
}
