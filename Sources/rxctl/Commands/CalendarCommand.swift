internal import ArgumentParser
internal import Glibc
internal import RxJSON
internal import RxProtocol
internal import RxTime

struct CalendarCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "calendar",
        abstract: "Prints the next times of an expression; needs no daemon.",
        usage: "rxctl calendar [<options>] <expression>",
        discussion: """
            The expression is one of systemd.time, such as "Mon..Fri 08:00", or, if it has five or six fields or \
            begins with @, one of cron. On a terminal, a time that a clock change moves is marked; otherwise, and \
            with --json, each line is {"scheduled":…,"local":…,"moved":…}.
            """)

    @Argument(help: "The expression, as one argument.")
    var expression: String

    @Option(help: ArgumentHelp("The time zone by its IANA name; the machine's by default.", valueName: "zone"))
    var zone: String?

    @Option(help: ArgumentHelp("Begin after this time, such as 2026-03-28T12:00; now by default.", valueName: "time"))
    var from: String?

    @Option(name: .customShort("n"), help: ArgumentHelp("How many times.", valueName: "count"))
    var count = 5

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000).contains(count) else { throw ValidationError("-n must be from 1 to 10000") }
    }

    func run() throws {
        let lines: [String]
        do throws(CalendarFault) {
            lines = try self.lines()
        } catch {
            throw Ending.usage(error.message)
        }
        for line in lines { try StandardStreams.printLine(line) }
    }

    private func lines() throws(CalendarFault) -> [String] {
        let (schedule, zone, start) = try plan()
        var slots: [Instant] = []
        for slot in schedule.slots(after: start, through: .horizon) {
            slots.append(slot)
            if slots.count == count { break }
        }
        guard !slots.isEmpty else { throw CalendarFault(message: "\"\(expression)\" has no time after that") }
        let isForPrograms = options.json || !StandardStreams.outputIsTerminal
        return slots.map { slot in
            let local = TimeText.local(slot, offset: zone.period(at: slot).offset)
            let isMoved = schedule.isMoved(slot)
            guard isForPrograms else { return local + (isMoved ? "  moved by a clock change" : "") }
            let line: JSONValue = [
                "scheduled": .string(TimeText.utc(slot)), "local": .string(local), "moved": .bool(isMoved),
            ]
            return RawJSON(line).text
        }
    }

    private func plan() throws(CalendarFault) -> (schedule: Schedule, zone: TimeZoneRules, start: Instant) {
        do {
            let files = ZoneFiles.system()
            let local = try files.machineZone(variable: getenv("TZ").map { String(cString: $0) })
            var zone = try self.zone.map { try files.zone(named: $0) } ?? local
            let schedule: Schedule
            if isCron {
                schedule = try CronExpression(expression).schedule(in: zone)
            } else {
                let calendar = try CalendarExpression(expression)
                if let own = calendar.zone {
                    guard self.zone == nil else {
                        throw CalendarFault(message: "the expression has a zone; remove it or --zone")
                    }
                    zone = try own.rules(local: local, files: files)
                }
                schedule = calendar.schedule(in: zone)
            }
            return (schedule, zone, try from.map { try start($0, in: zone) } ?? now)
        } catch let fault as CalendarFault {
            throw fault
        } catch {
            throw CalendarFault(message: "\(error)")
        }
    }

    /// A time without a zone is one of the schedule's; a time of day, and one with a zone, is as for other commands.
    private func start(_ text: String, in zone: TimeZoneRules) throws -> Instant {
        for form in [text, text.replacing(" ", with: "T", maxReplacements: 1), "\(text)T00:00"] {
            if let at = try? AtTime(form) { return at.instant(in: zone) }
        }
        do {
            return Instant(microseconds: try PastTime.parse(text).timestamp.milliseconds * 1000)
        } catch let error as ValidationError {
            throw CalendarFault(message: "--from \(text): \(error.message)")
        }
    }

    /// Whether it has five or six words without a colon, or begins with @.
    private var isCron: Bool {
        let words = expression.split(whereSeparator: \.isWhitespace)
        return expression.hasPrefix("@") || ((5...6).contains(words.count) && !expression.contains(":"))
    }

    private var now: Instant { Instant(microseconds: StreamTable.now * 1000) }
}

/// Why there are no times to print.
private struct CalendarFault: Error {
    let message: String
}
