import RxStreams
import Testing
import TestSupport

@testable import RxConfiguration

/// A text and its faults.
struct StreamFaultCase: Sendable, CustomTestStringConvertible {
    let text: String
    let faults: [String]

    var testDescription: String { text }

    init(_ text: String, _ faults: String...) {
        self.text = text
        self.faults = faults
    }

    /// A stream with these lines, which begin at line 2.
    static func stream(_ text: String, _ faults: String...) -> StreamFaultCase {
        StreamFaultCase("[stream.s]\n\(text)", faults.map { "rxd.toml:" + $0 })
    }

    /// A stream with this step.
    static func step(_ text: String, _ faults: String...) -> StreamFaultCase {
        StreamFaultCase(
            "[stream.s]\nsubject = true\nthrough = [\(text)]", faults.map { "rxd.toml:3: stream.s.through" + $0 })
    }

    /// An action with this `on`.
    static func on(_ text: String, _ faults: String...) -> StreamFaultCase {
        StreamFaultCase("[action.a]\nrun = [\"a\"]\non = \(text)", faults.map { "rxd.toml:3: action.a.on" + $0 })
    }

    private init(_ text: String, _ faults: [String]) {
        self.text = text
        self.faults = faults
    }
}

/// Each fault of a stream with its file, line, key, and message.
@Suite(.countedApart)
struct StreamFaultTests {
    private let configurations = StreamConfigurations()

    private func check(_ test: StreamFaultCase) {
        #expect(configurations.faults(test.text) == test.faults)
    }

    // MARK: Keys and names

    static let keys: [StreamFaultCase] = [
        .stream(
            "evry = \"1h\"",
            "2: stream.s.evry: unknown key; did you mean \"every\"?"),
        .stream(
            "path = \"/srv\"\nrecursiv = true",
            "3: stream.s.recursiv: unknown key; did you mean \"recursive\"?"),
        .stream(
            "path = \"/srv\"\nzone = \"UTC\"",
            "3: stream.s.zone: unknown key; it belongs to \"every\", \"calendar\", \"cron\", \"at\""),
        .stream(
            "path = \"/srv\"\ndebounce = \"300ms\"",
            "3: stream.s.debounce: unknown key; debounce is an operator: write through = [{ debounce = … }]"),
        .on(
            "{ path = \"/srv\", debounce = \"300ms\" }",
            ".debounce: unknown key; debounce is an operator: write through = [{ debounce = … }]"),
        .stream(
            "merge = [{ path = \"/srv\", debounce = \"300ms\" }]",
            "2: stream.s.merge[0].debounce: unknown key; give the source a name as [stream.NAME], and use "
                + "that name here"),
        .stream(
            "",
            "1: stream.s: needs a source, one of every, after, calendar, cron, at, start, path, lines, space, "
                + "journal, unit, bus, signal, action, reactor, program, subject, stream, merge, combineLatest, "
                + "zip"),
        .stream(
            "every = \"1h\"\nsignal = \"USR1\"",
            "3: stream.s.signal: cannot be combined with \"every\": a stream has one source"),
        .stream(
            "subject = true\ninput = \".\"",
            "3: stream.s.input: is a key of `on`, which gives the elements to an action or a reactor"),
        .stream(
            "subject = true\nwhen-full = \"wait\"",
            "3: stream.s.when-full: is a key of `on`, which gives the elements to an action or a reactor"),
        StreamFaultCase(
            "[stream.\"a b\"]\nsubject = true",
            "rxd.toml:1: stream.\"a b\": a name must be 1 to 64 of the characters A-Z a-z 0-9 _ . -"),
        StreamFaultCase(
            "[[stream]]\nsubject = true",
            "rxd.toml:1: stream: must be a table, not an array"),
        StreamFaultCase(
            "[trigger.x]\nevery = \"1h\"",
            "rxd.toml:1: trigger: is not a section; what starts an action is its key `on`, such as on = { "
                + "every = \"1h\" }"),
        StreamFaultCase(
            "[test.x]\nstream = \"s\"",
            "rxd.toml:1: test: belongs in a file of the directory tests: tests/NAME.toml"),
        .stream(
            "merge = [{ subject = true, through = [] }]",
            "2: stream.s.merge[0].through: unknown key; give the source a name as [stream.NAME], and use "
                + "that name here"),
    ]

    @Test("an unknown key, and a source that is missing or there twice, is a fault", arguments: keys)
    func keysAreChecked(_ test: StreamFaultCase) { check(test) }

    static let names: [StreamFaultCase] = [
        StreamFaultCase(
            "[action.a]\nrun = [\"a\"]\n[stream.a]\nsubject = true",
            "rxd.toml:3: stream.a: \"a\" is also the name of an action; names are unique across actions, "
                + "reactors, and streams"),
        StreamFaultCase(
            "[reactor.a]\ninitial = 0\nreduce = \".\"\n[stream.a]\nsubject = true",
            "rxd.toml:4: stream.a: \"a\" is also the name of a reactor; names are unique across actions, "
                + "reactors, and streams"),
        .on(
            "{ name = \"a\", every = \"1h\" }",
            ".name: \"a\" is also the name of an action; names are unique across actions, reactors, and streams"),
        StreamFaultCase(
            "[action.a]\nrun = [\"a\"]\non = { name = \"s\", every = \"1h\" }\n[stream.s]\nsubject = true",
            "rxd.toml:3: action.a.on.name: \"s\" is also the name of the stream at rxd.toml:4; names are "
                + "unique across actions, reactors, and streams"),
        .on(
            "{ name = \"a/b\", every = \"1h\" }",
            ".name: must be 1 to 64 of the characters A-Z a-z 0-9 _ . -"),
        .on(
            "\"sves\"\n[stream.saves]\nsubject = true",
            ": there is no stream \"sves\"; did you mean \"saves\"?"),
        .on(
            "{ action = \"b\" }\n[action.bb]\nrun = [\"b\"]",
            ".action: there is no action \"b\""),
        .on(
            "{ reactor = \"light\" }\n[reactor.ligth]\ninitial = 0\nreduce = \".\"",
            ".reactor: there is no reactor \"light\"; did you mean \"ligth\"?"),
        .on(
            "\"a\"",
            ": there is no stream \"a\"; the events of the action are the source { action = \"a\" }"),
        .on(
            "[\"s\", \"s\"]\n[stream.s]\nsubject = true",
            "[1]: \"s\" is listed twice; remove one"),
        .on(
            "{ every = \"1h\", through = [{ flatMap = \"b\" }] }",
            ".through[0].flatMap: there is no action \"b\""),
        .on(
            "{ every = \"1h\", enabled = { stream = \"x\", when = \".\" } }",
            ".enabled.stream: there is no stream \"x\""),
    ]

    @Test("a name that is taken, malformed, or of nothing is a fault with the nearest one", arguments: names)
    func namesAreChecked(_ test: StreamFaultCase) { check(test) }

    static let types: [StreamFaultCase] = [
        .stream(
            "every = 15",
            "2: stream.s.every: must be a duration such as \"15m\", not an integer"),
        .stream(
            "subject = false",
            "2: stream.s.subject: must be true; to leave it out, remove the key"),
        .stream(
            "path = [\"/a\"]",
            "2: stream.s.path: must be an absolute path in a string, not an array"),
        .stream(
            "path = \"srv\"",
            "2: stream.s.path: must be an absolute path in a string, not \"srv\""),
        .stream(
            "path = \"/srv\"\nrecursive = \"yes\"",
            "3: stream.s.recursive: must be true or false, not a string"),
        .stream(
            "path = \"/srv\"\nevents = [\"written\", \"renamed\"]",
            "3: stream.s.events[1]: must be one of \"created\", \"written\", \"moved\", \"removed\", "
                + "\"attributes\", not \"renamed\""),
        .stream(
            "path = \"/srv\"\ninclude = []",
            "3: stream.s.include: must not be empty"),
        .stream(
            "path = \"/srv\"\nmost = 0",
            "3: stream.s.most: must be an integer from 1 to 100000000, not 0"),
        .stream(
            "program = [\"\"]",
            "2: stream.s.program[0]: must name a program"),
        .stream(
            "program = \"p\"",
            "2: stream.s.program: must be an array such as [\"df\", \"-h\"], not a string"),
        .stream(
            "program = [\"p\"]\noutput = \"xml\"",
            "3: stream.s.output: must be one of \"lines\", \"json\", not \"xml\""),
        .stream(
            "journal = {}",
            "2: stream.s.journal: is empty; it would match everything"),
        .stream(
            "journal = { PRIORITY = 3 }",
            "2: stream.s.journal.PRIORITY: must be a string, not an integer"),
        .stream(
            "bus = { membr = \"x\" }",
            "2: stream.s.bus.membr: unknown key; did you mean \"member\"?"),
        .stream(
            "reactor = \"r\"\npointer = \"on\"\n[reactor.r]\ninitial = 0\nreduce = \".\"",
            "3: stream.s.pointer: must be a JSON pointer such as \"/on\", not \"on\""),
        .stream(
            "merge = []",
            "2: stream.s.merge: must not be empty"),
        .stream(
            "merge = [7]",
            "2: stream.s.merge[0]: must be the name of a stream or a table with a source, not an integer"),
        .stream(
            "zip = {}",
            "2: stream.s.zip: must not be empty"),
        .stream(
            "at = 2026-12-24",
            "2: stream.s.at: must be a date and time such as 2026-12-24T18:00:00, not a date"),
        .stream(
            "at = 12:00:00",
            "2: stream.s.at: must be a date and time such as 2026-12-24T18:00:00, not a time"),
        .stream(
            "every = 2026-12-24T00:00:00",
            "2: stream.s.every: must be a duration such as \"15m\", not a date-time"),
        .stream(
            "subject = true\nthrough = \"x\"",
            "3: stream.s.through: must be an array of steps such as [{ take = 1 }], not a string"),
        .stream(
            "subject = true\npersist = \"yes\"",
            "3: stream.s.persist: must be true or false, not a string"),
        .on(
            "7",
            ": must be the name of a stream, a table with a source, or an array of these, not an integer"),
        .on(
            "[[\"x\"]]",
            "[0]: must be the name of a stream, a table with a source, or an array of these, not an array"),
        .on(
            "{ every = \"1h\", when-full = \"drop\" }",
            ".when-full: must be one of \"wait\", \"refuse\", not \"drop\""),
        .on(
            "{ every = \"1h\", input = 7 }",
            ".input: must be a jq program in a string, not an integer"),
        .on(
            "{ every = \"1h\", name = 7 }",
            ".name: must be a string, not an integer"),
    ]

    @Test("a value of another type, or out of its range, is a fault", arguments: types)
    func typesAreChecked(_ test: StreamFaultCase) { check(test) }

    // MARK: Time

    static let times: [StreamFaultCase] = [
        .stream(
            "every = \"1x\"",
            "2: stream.s.every: must be a duration such as \"15m\", not \"1x\""),
        .stream(
            "every = \"50ms\"",
            "2: stream.s.every: the distance is below 100ms; use 100ms or more"),
        .stream(
            "every = \"36h\"",
            "2: stream.s.every: a duration above one day must be whole days, such as 2d"),
        .stream(
            "calendar = \"Mon 25:00\"",
            "2: stream.s.calendar: \"Mon 25:00\", character 5: hour 25 is not from 0 to 23"),
        .stream(
            "calendar = \"*-02-30\"",
            "2: stream.s.calendar: the expression can never occur: no year from 1970 to 2199 has such a day"),
        .stream(
            "calendar = \"08:00 Mars/Phobos\"",
            "2: stream.s.calendar: there is no time zone \"Mars/Phobos\" in the system's tzdata"),
        .stream(
            "calendar = \"08:00 UTC\"\nzone = \"Europe/Berlin\"",
            "3: stream.s.zone: remove zone = \"Europe/Berlin\": the expression already has \"UTC\""),
        .stream(
            "cron = \"61 * * * *\"",
            "2: stream.s.cron: \"61 * * * *\", character 1: minute 61 is not from 0 to 59"),
        .stream(
            "cron = \"* * * *\"",
            "2: stream.s.cron: \"* * * *\", character 8: expected 5 or 6 fields, found 4"),
        .stream(
            "cron = \"0 0 30 2 *\"",
            "2: stream.s.cron: the expression can never occur: no year from 1970 to 2199 has such a day"),
        .stream(
            "cron = \"@reboot\"",
            "2: stream.s.cron: \"@reboot\", character 1: @reboot is not a time; use the source `start = "
                + "true` instead"),
        .stream(
            "at = \"tomorrow\"",
            "2: stream.s.at: \"tomorrow\", character 1: expected the year in 4 digits"),
        .stream(
            "at = 2026-12-24T18:00:00Z\nzone = \"Europe/Berlin\"",
            "3: stream.s.zone: remove zone = \"Europe/Berlin\": the expression already has an offset"),
        .stream(
            "every = \"1d\"\nzone = \"Mars/Phobos\"",
            "3: stream.s.zone: there is no time zone \"Mars/Phobos\" in the system's tzdata"),
        .stream(
            "every = \"1d\"\nzone = \"../etc\"",
            "3: stream.s.zone: \"../etc\" is not the name of a time zone; use a name such as Europe/Berlin"),
        .stream(
            "every = \"1h\"\nmissed = \"some\"",
            "3: stream.s.missed: must be one of \"none\", \"once\", \"all\", not \"some\""),
        .stream(
            "every = \"1h\"\nmissed-window = \"x\"",
            "3: stream.s.missed-window: must be a duration such as \"500ms\", \"10s\" or \"1h30m\", not \"x\""),
        .stream(
            "after = \"1h\"",
            "2: stream.s.after: can only be in the `on` of an action, whose executions it follows"),
        .stream(
            "merge = [{ after = \"1h\" }]",
            "2: stream.s.merge[0].after: can only be in the `on` of an action, whose executions it follows"),
        .on(
            "{ after = \"99ms\" }",
            ".after: must be at least \"100ms\""),
        .on(
            "{ merge = [{ after = \"1h\" }] }",
            ".merge[0].after: can only be in the `on` of an action, whose executions it follows"),
        StreamFaultCase(
            "[reactor.r]\ninitial = 0\nreduce = \".\"\non = { after = \"1h\" }",
            "rxd.toml:4: reactor.r.on.after: can only be in the `on` of an action, whose executions it follows"),
        .on(
            "{ every = \"1h\", missed = \"all\" }\noverlap = \"latest\"",
            ": missed = \"all\" needs executions that follow each other, not overlap = \"latest\""),
        .on(
            "\"s\"\noverlap = \"join\"\n[stream.s]\nevery = \"1h\"\nmissed = \"all\"",
            ": missed = \"all\" of the stream \"s\" needs executions that follow each other, not overlap = \"join\""),
        .on(
            "[{ every = \"1h\" }, { unit = \"x\" }]",
            "[0]: needs \"name\": it keeps a position, and its place in the array may change"),
        .on(
            "[{ path = \"/srv\", persist = true }]",
            "[0]: needs \"name\": it keeps a position, and its place in the array may change"),
    ]

    @Test("a time that is malformed, can never come, or has two zones is a fault", arguments: times)
    func timesAreChecked(_ test: StreamFaultCase) { check(test) }

    @Test("a persistent position, and no other, needs a name in an array")
    func positions() {
        check(.on("[{ path = \"/srv\" }, { unit = \"x\" }, { name = \"n\", every = \"1h\" }]"))
        check(.on("{ every = \"1h\", persist = true }"))
    }

    // MARK: Steps

    static let steps: [StreamFaultCase] = [
        .step(
            "{ mpa = \".\" }",
            "[0].mpa: there is no operator \"mpa\"; did you mean \"map\"?"),
        .step(
            "{}",
            "[0]: needs an operator, such as \"map\" or \"filter\""),
        .step(
            "7",
            "[0]: must be a table, not an integer"),
        .step(
            "{ map = \".\", filter = \".\" }",
            "[0]: has the operators \"map\" and \"filter\"; a step is one operator, so write a table for each"),
        .step(
            "{ debounce = \"1s\", atmost = \"5s\" }",
            "[0].atmost: unknown key; did you mean \"at-most\"?"),
        .step(
            "{ take = \"1\" }",
            "[0].take: must be an integer of at least 0, not a string"),
        .step(
            "{ take = -1 }",
            "[0].take: must be an integer of at least 0, not -1"),
        .step(
            "{ pairwise = false }",
            "[0].pairwise: must be true; to leave it out, remove the key"),
        .step(
            "{ scan = \".\" }",
            "[0]: needs \"initial\", a value"),
        .step(
            "{ buffer = true }",
            "[0]: needs \"count\" if \"buffer\" is not a duration such as \"10s\""),
        .step(
            "{ buffer = 5 }",
            "[0].buffer: must be a duration such as \"10s\" or true, not an integer"),
        .step(
            "{ concatMap = 7 }",
            "[0].concatMap: must be a table such as { each = \".[]\" } or the name of an action, not an integer"),
        .step(
            "{ concatMap = { through = [] } }",
            "[0].concatMap: needs \"each\", a jq program whose results are the elements of the inner stream"),
        .step(
            "{ groupBy = \".\" }",
            "[0]: needs \"through\", an array of steps such as [{ take = 1 }]"),
        .step(
            "{ groupBy = \".\", through = [{ mpa = \".\" }] }",
            "[0].through[0].mpa: there is no operator \"mpa\"; did you mean \"map\"?"),
        .step(
            "{ retry = 3 }",
            "[0].retry: must follow directly after a step that executes: concatMap, flatMap, flatMapLatest, "
                + "flatMapFirst"),
        .step(
            "{ map = \".\" }, { catch = \".\" }",
            "[1].catch: must follow directly after a step that executes: concatMap, flatMap, flatMapLatest, "
                + "flatMapFirst"),
        .step(
            "{ flatMap = { each = \".[]\" } }, { retry = 2 }, { retry = 2 }",
            "[2].retry: is there twice; an executing step takes one of them"),
        .step(
            "{ map = '.x )' }",
            "[0].map: is not a valid jq program: unexpected \")\" at column 24: .x )"),
        .step(
            "{ filter = '1) | (2' }",
            "[0].filter: is not a valid jq program: unexpected \")\" at column 25: 1) | (2"),
        .step(
            "{ recent = \"10m\", count = 4, at-least = 5 }",
            "[0].at-least: is greater than count, so nothing would ever be emitted"),
        .step(
            "{ flatMap = { each = \".[]\", through = [{ retry = 2 }] } }",
            "[0].flatMap.through[0].retry: must follow directly after a step that executes: concatMap, "
                + "flatMap, flatMapLatest, flatMapFirst"),
        .step(
            "{ held = \"30m\" }",
            "[0].held: needs a current value: one of the sources \"space\", \"unit\", \"reactor\", or a "
                + "combineLatest of them, and only map, filter, distinctUntilChanged may be in between"),
        .step(
            "{ groupBy = \".\", through = [{ held = \"30m\" }] }",
            "[0].through[0].held: needs a current value: one of the sources \"space\", \"unit\", \"reactor\", "
                + "or a combineLatest of them, and only map, filter, distinctUntilChanged may be in between"),
        .step(
            "{ takeUntil = \"x\" }",
            "[0].takeUntil: there is no stream \"x\""),
        .step(
            "{ delay = \"1s\", retry = 3 }",
            "[0].retry: must follow directly after a step that executes: concatMap, flatMap, flatMapLatest, "
                + "flatMapFirst"),
    ]

    @Test("a step that is not one of the table's, or in the wrong place, is a fault", arguments: steps)
    func stepsAreChecked(_ test: StreamFaultCase) { check(test) }

    @Test("held takes a level, through what keeps one, through streams, and in groups of one")
    func levels() {
        for text in [
            "unit = \"*.service\"\nthrough = [{ filter = \".\" }, { held = \"1m\" }]",
            "unit = \"*.service\"\nthrough = [{ groupBy = \".unit\", through = [{ held = \"1m\" }] }]",
            "stream = \"t\"\nthrough = [{ held = \"1m\" }]\n[stream.t]\nunit = \"x\"\nthrough = [{ map = \".\" }]",
            "combineLatest = { a = { unit = \"x\" }, b = { unit = \"y\" } }\nthrough = [{ held = \"1m\" }]",
        ] { check(.stream(text)) }
        let diamonds = (1...40).map {
            "[stream.s\($0)]\ncombineLatest = { a = \"s\($0 - 1)\", b = \"s\($0 - 1)\" }\n"
        }
        check(
            .stream(
                "stream = \"s40\"\nthrough = [{ held = \"1m\" }]\n[stream.s0]\nunit = \"x\"\n" + diamonds.joined()))
        for text in [
            "unit = \"x\"\nthrough = [{ take = 1 }, { held = \"1m\" }]",
            "stream = \"t\"\nthrough = [{ take = 1 }, { held = \"1m\" }]\n[stream.t]\nunit = \"x\"",
            "stream = \"t\"\nchannel = \"errors\"\nthrough = [{ take = 1 }, { held = \"1m\" "
                + "}]\n[stream.t]\nunit = \"x\"",
            "merge = [{ unit = \"x\" }]\nthrough = [{ take = 1 }, { held = \"1m\" }]",
        ] {
            #expect(configurations.faults("[stream.s]\n\(text)").map { $0.contains("needs a current value") } == [true])
        }
    }

    // MARK: Programs

    static let programs: [StreamFaultCase] = [
        .step(
            "{ map = \".[\" }",
            "[0].map: is not a valid jq program: it ends too early at column 23: .["),
        .step(
            "{ map = \"nope\" }",
            "[0].map: is not a valid jq program: nope/0 is not defined at column 21: nope"),
        .step(
            "{ map = \"$nope\" }",
            "[0].map: is not a valid jq program: $nope is not defined at column 21: $nope"),
        .step(
            "{ map = \"$ENV.HOME\" }",
            "[0].map: uses \"$ENV\", which is not available in programs of streams"),
        .step(
            "{ map = \"input\" }",
            "[0].map: uses \"input\", which is not available in programs of streams"),
        .step(
            "{ map = \"localtime\" }",
            "[0].map: uses \"localtime\", which is not available in programs of streams"),
        .step(
            "{ map = \". # 1\\n| [\\n\" }",
            "[0].map: is not a valid jq program: it ends too early at line 2, column 4 of the program: | ["),
        .on(
            "{ every = \"1h\", input = \"{\" }",
            ".input: is not a valid jq program: it ends too early at column 32: {"),
        .stream(
            "subject = true\nenabled = { stream = \"s\", when = \"(\" }",
            "1: stream.s: reads itself",
            "3: stream.s.enabled.when: is not a valid jq program: it ends too early at column 36: ("),
    ]

    @Test("a program that does not compile, or uses what streams do not have, is a fault", arguments: programs)
    func programsAreChecked(_ test: StreamFaultCase) { check(test) }

    @Test("of hundreds of programs, the fault is at the one that has it")
    func hundreds() {
        let steps = (1...300).map { "{ map = \"\($0 == 277 ? "nope" : ". + \($0)")\" },\n" }.joined()
        check(
            StreamFaultCase(
                "[stream.s]\nsubject = true\nthrough = [\n\(steps)]",
                "rxd.toml:280: stream.s.through[276].map: is not a valid jq program: nope/0 is not defined at "
                    + "column 10: nope"))
    }

    @Test("programs have $key, $from, and now")
    func boundNames() {
        check(.step("{ map = \"[$key, $from, now, .input, {env: 1}]\" }, { filter = \"\" }, { map = \"1, 2 | .\" }"))
    }

    // MARK: Together

    static let cycles: [StreamFaultCase] = [
        .stream(
            "stream = \"s\"",
            "1: stream.s: reads itself"),
        StreamFaultCase(
            "[stream.a]\nstream = \"b\"\n[stream.b]\nsubject = true\nthrough = [{ merge = [\"c\"] }]\n"
                + "[stream.c]\nmerge = [{ stream = \"a\", channel = \"errors\" }]",
            "rxd.toml:1: stream.a: reads itself through \"b\", \"c\"",
            "rxd.toml:3: stream.b: reads itself through \"c\", \"a\"",
            "rxd.toml:6: stream.c: reads itself through \"a\", \"b\""),
        .stream(
            "subject = true\nenabled = { stream = \"s\", when = \".\" }",
            "1: stream.s: reads itself"),
    ]

    @Test("a stream that reads itself is a fault", arguments: cycles)
    func cyclesAreChecked(_ test: StreamFaultCase) { check(test) }

    static let conditions: [StreamFaultCase] = [
        .stream(
            "subject = true\nenabled = false",
            "3: stream.s.enabled: must be true or a condition; to disable a stream, use `rxctl disable`"),
        .stream(
            "subject = true\nenabled = {}",
            "3: stream.s.enabled: needs one of \"reactor\", \"stream\", \"path-exists\", \"all\", \"any\", \"not\""),
        .stream(
            "subject = true\nenabled = { all = [] }",
            "3: stream.s.enabled.all: must be an array of conditions, not an empty one"),
        .stream(
            "subject = true\nenabled = { any = [true] }",
            "3: stream.s.enabled.any[0]: must be a table, not a boolean"),
        .stream(
            "subject = true\nenabled = { not = { path-exists = \"x\" }, any = [] }",
            "3: stream.s.enabled: has more than one of \"reactor\", \"stream\", \"path-exists\", \"all\", "
                + "\"any\", \"not\"; combine them with \"all\" or \"any\""),
        .stream(
            "subject = true\nenabled = { reactor = \"r\", when = \".\" }",
            "3: stream.s.enabled.reactor: there is no reactor \"r\""),
        .stream(
            "subject = true\nenabled = { stream = \"s\" }",
            "3: stream.s.enabled: needs \"when\", a jq program"),
        StreamFaultCase(
            "[action.a]\nrun = [\"a\"]\nenabled = { all = [{ stream = \"s\", when = \".\" }] }",
            "rxd.toml:3: action.a.enabled.all[0].stream: there is no stream \"s\""),
    ]

    @Test("a condition that is malformed is a fault, in actions too", arguments: conditions)
    func conditionsAreChecked(_ test: StreamFaultCase) { check(test) }

    @Test("what a source finds wrong with its arguments is a fault at the argument")
    func problems() {
        var configurations = configurations
        configurations.problems = { source in
            [
                SourceProblem(
                    at: "include", "[0]", message: "\(source.texts("include") ?? []) is wrong", isFault: true)
            ]
        }
        #expect(
            configurations.faults("[stream.s]\npath = \"/srv\"\ninclude = \"[\"") == [
                #"rxd.toml:3: stream.s.include: ["["] is wrong"#
            ])
    }
}
