public import RxTime

/// The zone whose clock decides about slots.
public enum SlotZone: Sendable {
    /// The one that the configuration names.
    case named(TimeZoneRules)
    /// The zone of the machine, also after it has changed.
    case machine(MachineZone)

    /// The clock changes of the zone at present.
    public var rules: TimeZoneRules {
        switch self {
        case .named(let rules): rules
        case .machine(let zone): zone.rules
        }
    }
}

extension SlotRule {
    /// The zone of the rule, from the key `zone`, if it is there, the zone in a calendar expression, or that of the
    /// machine. Both of the first two are a fault, and so is a zone that tzdata does not have.
    public func zone(
        named name: String?, machine: MachineZone, files: ZoneFiles
    ) throws(SlotFault) -> SlotZone {
        if case .calendar(let expression) = self, let own = expression.zone {
            guard name == nil else {
                throw SlotFault(
                    "zone", "the expression \"\(expression.text)\" has a zone, \(own.name); remove one of the two")
            }
            do throws(ZoneFault) {
                return .named(try own.rules(local: machine.rules, files: files))
            } catch {
                throw SlotFault("calendar", error, at: own.position)
            }
        }
        guard let name else { return .machine(machine) }
        do throws(ZoneFault) {
            return .named(try files.zone(named: name))
        } catch {
            throw SlotFault("zone", error)
        }
    }

    /// What an administrator should know although it is no fault: that there is no slot any more.
    public func warnings(in zone: SlotZone, at now: Instant) -> [String] {
        schedule(in: zone.rules).next(after: now) == nil ? ["\(key): \(hasPassed)"] : []
    }

    /// Why there is no slot any more.
    var hasPassed: String {
        switch self {
        case .at: "the time \(text) has passed"
        case .every, .calendar, .cron: "\"\(text)\" has no time in the future"
        }
    }
}
