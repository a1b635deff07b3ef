internal import RxJSON
internal import RxStreams
internal import RxTime

/// Reads expressions of time, and checks them together with their zones.
struct TimeReader {
    let reading: StreamReading

    /// The value of a parameter of the kind `time` or `zone`; nil, with a fault added, if it is malformed or can never
    /// occur.
    func value(_ node: TOMLNode, _ kind: Parameter.Kind, _ path: [String]) -> ArgumentValue? {
        let text: String
        switch node.content {
        case .string(let string): text = string
        case .time(let time): text = time.text
        case .integer, .float, .boolean, .array, .table: return nil
        }
        do {
            switch kind {
            case .time(let expression): return try Self.parse(text, expression)
            case .zone:
                _ = try reading.surroundings.zones.zone(named: text)
                return .text(text)
            default: return nil
            }
        } catch let fault as ZoneFault {
            return report(fault, node.place, path) ? nil : .text(text)
        } catch {
            reading.faults.add(Self.message(error), at: node.place, key: path)
            return nil
        }
    }

    /// Faults and warnings of an expression and its zone together.
    func check(_ expression: Parameter.TimeExpression, _ source: ExternalSource, _ table: TableReader) {
        let surroundings = reading.surroundings
        let path = table.path + [source.kind]
        let own = source.text("zone")
        if let own, let used = Self.zone(in: source.text(source.kind) ?? "", expression) {
            reading.faults.add(
                "remove zone = \"\(own)\": the expression already has \(used)", at: table.place(of: "zone"),
                key: table.path + ["zone"])
            return
        }
        let machine = surroundings.machineZone
        var zone = machine
        if let own {
            // What is wrong with it has been reported.
            guard let found = try? surroundings.zones.zone(named: own) else { return }
            zone = found
        }
        do {
            guard let schedule = try Self.schedule(expression, source, zone, machine, surroundings.zones),
                schedule.next(after: surroundings.now) == nil
            else { return }
            reading.faults.warn(
                "is in the past; the stream fires only if `missed` makes up for it",
                at: table.place(of: source.kind), key: path)
        } catch let fault as ZoneFault {
            _ = report(fault, table.place(of: source.kind), path)
        } catch {
            reading.faults.add(Self.message(error), at: table.place(of: source.kind), key: path)
        }
    }

    /// Whether it is a fault. The machine's files may change from day to day, and must not make a configuration
    /// invalid.
    private func report(_ fault: ZoneFault, _ place: SourcePlace, _ key: [String]) -> Bool {
        switch fault {
        case .invalidName, .unknown, .invalidRule:
            reading.faults.add("\(fault)", at: place, key: key)
            return true
        case .unreadable, .invalidFile:
            reading.faults.warn("\(fault)", at: place, key: key)
            return false
        }
    }

    // MARK: Expressions

    private static func parse(_ text: String, _ expression: Parameter.TimeExpression) throws -> ArgumentValue {
        switch expression {
        case .every:
            guard let duration = Duration(rxText: text) else {
                throw MalformedDuration(text: text)
            }
            _ = try EverySchedule(microseconds: duration.microseconds, zone: .utc)
            return .duration(duration.microseconds)
        case .calendar: return .text(try CalendarExpression(text).text)
        case .cron: return .text(try CronExpression(text).text)
        case .at: return .text(try AtTime(text).text)
        }
    }

    private static func schedule(
        _ expression: Parameter.TimeExpression, _ source: ExternalSource, _ zone: TimeZoneRules,
        _ machine: TimeZoneRules, _ files: ZoneFiles
    ) throws -> Schedule? {
        let text = source.text(source.kind) ?? ""
        switch expression {
        case .every: return nil
        case .calendar:
            let calendar = try CalendarExpression(text)
            return calendar.schedule(in: try calendar.zone?.rules(local: machine, files: files) ?? zone)
        case .cron: return try CronExpression(text).schedule(in: zone)
        case .at: return try AtTime(text).schedule(in: zone)
        }
    }

    /// What an expression states about its zone, for a message; nil if nothing.
    private static func zone(in text: String, _ expression: Parameter.TimeExpression) -> String? {
        switch expression {
        case .every, .cron: nil
        case .calendar: (try? CalendarExpression(text))?.zone.map { "\"\($0.name)\"" }
        case .at: (try? AtTime(text))?.hasOffset == true ? "an offset" : nil
        }
    }

    private struct MalformedDuration: Error {
        let text: String
    }

    private static func message(_ error: any Error) -> String {
        switch error {
        case let error as MalformedDuration: "must be \(Parameter.Kind.time(.every)), not \"\(error.text)\""
        case let fault as ExpressionFault where fault.isNever: fault.reason
        default: "\(error)"
        }
    }
}
