import RxSources
import RxStreams
import TestSupport
import Testing

@testable import RxConfiguration

/// One parameter of a source or an operator, in a table that is valid otherwise.
struct TableCase: Sendable, CustomTestStringConvertible {
    /// A source or an operator.
    let row: String
    let parameter: Parameter
    let main: Parameter
    let others: [Parameter]
    let isStep: Bool

    var testDescription: String { "\(row).\(parameter.name)" }

    static let sources = SourceTable.all.flatMap { row in
        ([row.main] + row.parameters).map {
            TableCase(row: row.name, parameter: $0, main: row.main, others: row.parameters, isStep: false)
        }
    }

    static let operators = OperatorTable.all.flatMap { row in
        ([row.main] + row.parameters).map {
            TableCase(row: row.name, parameter: $0, main: row.main, others: row.parameters, isStep: true)
        }
    }

    /// A configuration with the table, in which `value` is the value of the parameter, or `key` its name.
    func text(_ value: String? = nil, key: String? = nil, without: Bool = false) -> String {
        let isNeeded = { (other: Parameter) in other.isRequired || other.name == parameter.name }
        let written = [main] + others.filter { isNeeded($0) || main.kinds.first == .flag }
        let members = written.compactMap { other -> String? in
            guard other.name == parameter.name else { return "\(other.name) = \(other.valid(of: row))" }
            return without ? nil : "\(key ?? other.name) = \(value ?? other.valid(of: row))"
        }
        let table = "{ \(members.joined(separator: ", ")) }"
        let around = """

            [action.a]
            run = ["a"]
            [reactor.r]
            initial = 0
            reduce = "."
            [stream.other]
            subject = true
            """
        guard isStep else {
            return "[action.b]\nrun = [\"b\"]\non = \(table)" + around
        }
        let isModifier = OperatorTable.named(row)?.isModifier ?? false
        let before = isModifier ? "{ flatMap = \"a\" }, " : ""
        return "[stream.s]\nunit = \"a.service\"\nthrough = [\(before)\(table)]" + around
    }

    /// The beginning of a fault at the parameter, or at the table.
    func place(_ key: String?) -> String {
        let isModifier = OperatorTable.named(row)?.isModifier ?? false
        let table = isStep ? "stream.s.through[\(isModifier ? 1 : 0)]" : "action.b.on"
        return "rxd.toml:3: \(table)" + (key.map { ".\($0)" } ?? "") + ": "
    }
}

extension Parameter {
    /// A valid value, as TOML.
    func valid(of row: String) -> String {
        switch kinds[0] {
        case .flag, .boolean: "true"
        case .count(let range): "\(max(range.lowerBound, 1))"
        case .duration: "\"10s\""
        case .text: row == "signal" ? "\"USR1\"" : "\"a.service\""
        case .texts: "[\"a\"]"
        case .choice(let words), .choices(let words): "\"\(words[0])\""
        case .json: "1"
        case .program: "\".\""
        case .source, .stream: "\"other\""
        case .sources: "[\"other\"]"
        case .named: "{ a = \"other\" }"
        case .steps: "[{ take = 1 }]"
        case .action, .actions: "\"a\""
        case .reactor: "\"r\""
        case .each: "{ each = \".[]\" }"
        case .time(.every): "\"15m\""
        case .time(.calendar): "\"08:00\""
        case .time(.cron): "\"0 3 * * *\""
        case .time(.at): "\"2030-01-01T00:00:00\""
        case .zone: "\"UTC\""
        case .table(let keys): keys.isEmpty ? "{ PRIORITY = \"3\" }" : "{ member = \"Changed\" }"
        case .path: "\"/srv\""
        case .words: "[\"p\"]"
        case .pointer: "\"/on\""
        }
    }

    /// A value of a type that none of the kinds accepts, and a part of the message.
    var wrong: (value: String, message: String) {
        if kinds.contains(.json) { return ("2026-01-01", "is a date; JSON has no dates") }
        let isCount = kinds.contains { if case .count = $0 { true } else { false } }
        return isCount ? ("\"x\"", "must be \(wanted), not a string") : ("7", "must be \(wanted), not an integer")
    }
}

/// The faults of every source and operator, from their tables.
@Suite(.countedApart)
struct StreamTableTests {
    private let configurations: StreamConfigurations = {
        var configurations = StreamConfigurations()
        configurations.problems = { SourceCheck(isOfService: true).problems(of: $0) }
        return configurations
    }()

    private static let all = TableCase.sources + TableCase.operators

    @Test("every parameter takes a valid value", arguments: all)
    func valid(_ test: TableCase) {
        #expect(configurations.faults(test.text()) == [], "\(test.text())")
    }

    @Test("a value of another type is a fault with the file, the line, the key, and what is wanted", arguments: all)
    func wrongType(_ test: TableCase) {
        let (value, message) = test.parameter.wrong
        let faults = configurations.faults(test.text(value))
        #expect(faults == [test.place(test.parameter.name) + message])
    }

    @Test("a misspelled key is a fault with the nearest one", arguments: all)
    func misspelled(_ test: TableCase) {
        let written = test.parameter.name + "x"
        let faults = configurations.faults(test.text(key: written))
        #expect(
            faults.contains { fault in
                fault.hasPrefix(test.place(written)) && fault.hasSuffix("did you mean \"\(test.parameter.name)\"?")
            }, "\(faults)")
    }

    @Test("a missing parameter that is required is a fault of the table", arguments: all.filter(\.parameter.isRequired))
    func missing(_ test: TableCase) {
        let faults = configurations.faults(test.text(without: true))
        #expect(faults.contains { $0.hasPrefix(test.place(nil) + "needs ") }, "\(faults)")
    }

    @Test(
        "a program that does not compile, or depends on more than its input, is a fault at its key",
        arguments: all.filter { $0.parameter.programKind != nil })
    func programs(_ test: TableCase) {
        let compiled = configurations.faults(test.text("\"{\""))
        #expect(compiled.count == 1)
        #expect(compiled.first?.hasPrefix(test.place(test.parameter.name) + "is not a valid jq program: ") == true)
        let environment = configurations.faults(test.text("'$ENV.HOME'"))
        #expect(environment.map { $0.hasPrefix(test.place(test.parameter.name)) } == [true], "\(environment)")
    }

    @Test(
        "a name of nothing is a fault at its key, with the nearest one",
        arguments: all.filter { $0.parameter.misspelledName != nil })
    func names(_ test: TableCase) throws {
        let (value, nearest) = try #require(test.parameter.misspelledName)
        let faults = configurations.faults(
            test.text(value) + "\n[action.deploy]\nrun = [\"d\"]\n[reactor.light]\n"
                + "initial = 0\nreduce = \".\"\n[stream.saves]\nsubject = true")
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix(test.place(test.parameter.name)) == true, "\(faults)")
        #expect(faults.first?.hasSuffix("did you mean \"\(nearest)\"?") == true, "\(faults)")
    }

    @Test(
        "a date that never comes is a fault of each source of time",
        arguments: [
            "calendar = \"*-02-30\"", "cron = \"0 0 31 4 *\"", "at = \"2026-02-30T00:00:00\"", "every = \"36h\"",
        ])
    func never(_ text: String) {
        let key = text.prefix { $0 != " " }
        let faults = configurations.faults("[stream.s]\n\(text)")
        #expect(faults.map { $0.hasPrefix("rxd.toml:2: stream.s.\(key): ") } == [true], "\(faults)")
    }

    @Test("what sources know about their values are faults at the line and key of the value")
    func values() {
        let text = """
            [stream.s]
            path = "/srv"
            include = [
              "*.md",
              "[a",
            ]
            exclude = "[b"
            [stream.t]
            bus = { member = "a.b" }
            [stream.u.journal]
            PRIORITY = "9"
            [stream.v]
            merge = [{ unit = "nginx" }, { signal = "HUP" }]
            """
        #expect(
            configurations.faults(text) == [
                "rxd.toml:5: stream.s.include[1]: \"[a\" is not a pattern: a set such as [a-z] is not closed",
                "rxd.toml:7: stream.s.exclude: \"[b\" is not a pattern: a set such as [a-z] is not closed",
                "rxd.toml:9: stream.t.bus.member: \"a.b\" is not a valid member; write one such as Changed",
                "rxd.toml:11: stream.u.journal.PRIORITY: \"9\" is not a priority; write 0 (emerg) to 7 (debug)",
                "rxd.toml:13: stream.v.merge[0].unit: nginx has no type; write nginx.service if it is a service",
                "rxd.toml:13: stream.v.merge[1].signal: HUP has a meaning for the daemon; use USR1, USR2, or RTMIN+1 "
                    + "to RTMAX",
            ])
    }

    @Test("the environment is never a fault: a path that is missing or shared is at most a warning")
    func environment() {
        #expect(configurations.faults("[stream.s]\npath = \"/none/at/all\"\n[stream.t]\nlines = \"/tmp/x\"") == [])
        #expect(
            configurations.warnings("[action.a]\nrun = [\"a\"]\non = { lines = \"/tmp/x\" }") == [
                "rxd.toml:3: warning: action.a.on.lines: /tmp/x is in a directory of the service's own, because "
                    + "rxd.service has PrivateTmp; files of others do not appear there"
            ])
    }
}

extension Parameter {
    fileprivate var programKind: Kind? {
        kinds.count == 1 ? kinds.first { if case .program = $0 { true } else { false } } : nil
    }

    /// A value with a name that is misspelled, and the right name.
    fileprivate var misspelledName: (value: String, nearest: String)? {
        for kind in kinds {
            switch kind {
            case .action, .actions: return ("\"depoly\"", "deploy")
            case .reactor: return ("\"ligth\"", "light")
            case .stream, .source: return ("\"savse\"", "saves")
            default: continue
            }
        }
        return nil
    }
}
