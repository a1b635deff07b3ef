internal import RxJSON
internal import RxStreams
internal import RxTime

/// The sources whose elements are times.
struct TimeSources {
    private let ports: [ExternalPort]

    init(_ ports: [ExternalPort]) { self.ports = ports.filter { $0.isTime && !$0.isGiven } }

    /// Schedules the first slot of each; each slot schedules the next one.
    func schedule(in world: TestWorld) throws(StreamTestFault) {
        for port in ports {
            switch port.source.kind {
            case "start":
                world.after(0) { [unowned world] in port.send(RawJSON(["stopped": nil]), world) }
            case "after": Self.wait(port, world)
            default:
                let (schedule, zone) = try schedule(port.source, in: world)
                Self.scheduleSlot(after: world.start, of: schedule, zone, port, world)
            }
        }
    }

    private static func scheduleSlot(
        after time: Instant, of schedule: Schedule, _ zone: TimeZoneRules, _ port: ExternalPort, _ world: TestWorld
    ) {
        guard let slot = schedule.next(after: time) else { return port.finish(world) }
        if let end = world.end, slot > end { return }
        world.at(slot) { [unowned world] in
            port.send(SlotElement(scheduled: slot, zone: zone, fired: slot, missed: 0).json, scheduled: slot, world)
            scheduleSlot(after: slot, of: schedule, zone, port, world)
        }
    }

    /// `after` counts from the start, then from the end of each execution.
    private static func wait(_ port: ExternalPort, _ world: TestWorld) {
        world.after(port.source.duration("after") ?? 0) { [unowned world] in
            port.send(slotElement(at: world), scheduled: world.now, world)
        }
    }

    static func ended(_ port: ExternalPort, _ world: TestWorld) {
        if port.source.kind == "after", !port.isGiven { wait(port, world) }
    }

    private static func slotElement(at world: TestWorld) -> RawJSON {
        SlotElement(scheduled: world.now, zone: world.zone, fired: world.now, missed: 0).json
    }

    private func schedule(
        _ source: ExternalSource, in world: TestWorld
    ) throws(StreamTestFault) -> (Schedule, TimeZoneRules) {
        do {
            var zone = world.zone
            if let name = source.text("zone") { zone = try world.configuration.zones.zone(named: name) }
            let text = source.text(source.kind) ?? ""
            switch source.kind {
            case "every":
                let distance = source.duration("every") ?? 0
                return (.every(try EverySchedule(microseconds: distance, zone: zone)), zone)
            case "calendar":
                let expression = try CalendarExpression(text)
                if let named = expression.zone { zone = try named.rules(local: zone, files: world.configuration.zones) }
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
