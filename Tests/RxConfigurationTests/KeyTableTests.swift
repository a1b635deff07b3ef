import RxJSON
import RxStreams
import Testing
import TestSupport

@testable import RxConfiguration

/// The documented keys and those that the readers know.
@Suite(.countedApart)
struct KeyTableTests {
    /// Each table of the documentation, at the places of `known`.
    private static let places: [(table: String, paths: [String])] = [
        ("[rxd]", ["rxd"]), ("[limits]", ["limits"]), ("[history]", ["history"]), ("[access]", ["access"]),
        ("execute, subscribe, and manage", ["access.manage"]), ("[defaults]", ["defaults"]),
        ("[action.NAME]", ["action.program", "action.builtin"]), ("run", ["action.program.run[1]"]),
        ("retry", ["action.program.retry"]), ("allow", ["action.program.allow"]), ("[reactor.NAME]", ["reactor.light"]),
        ("mutate", ["reactor.light.mutate[0]", "reactor.light.mutate[1]"]), ("merge", ["reactor.light.merge[0]"]),
        ("[stream.NAME]", ["stream.inbox"]), ("on", ["action.program.on"]),
        ("each", ["stream.inbox.through[0].concatMap"]), ("enabled", ["action.program.enabled"]),
        ("[test.NAME]", ["test.first"]), ("mock", ["test.first.mock.program[0]"]),
    ]

    /// The keys that the readers know, by the place of the table.
    private static let known: [String: Set<String>] = {
        let faults = FaultList()
        let text = """
            [rxd]
            [limits]
            [history]
            [access]
            manage = { users = [0] }
            [defaults]

            [action.program]
            run     = ["true", { input = "/a" }]
            allow   = { users = [0] }
            retry   = { attempts = 2 }
            enabled = { reactor = "light", when = "." }
            on      = { every = "1h" }

            [action.builtin]
            builtin = "echo"

            [reactor.light]
            initial = 0
            reduce  = ".state"
            mutate  = [{ when = "false", refuse = '"no"' }, { execute = "program" }]
            merge   = [{ action = "program", mutation = "1" }]

            [stream.inbox]
            subject = true
            through = [{ concatMap = { each = "." } }]
            """
        let test = """
            [test.first]
            stream = "inbox"
            expect = ""
            mock   = { program = [{ elements = [] }] }
            """
        guard let root = parse(text, faults), case .table(let members) = parse(test, faults)?.content,
            case .table(let tests)? = members["test"]?.content, let node = tests["first"]
        else { return [:] }
        let configuration = ConfigurationReader(surroundings: .ofTests, faults: faults).read([root])
        let reading = StreamReading(
            names: StreamNames(configuration), values: ValueReader(directory: ".", faults: faults),
            programs: ProgramList(), surroundings: .ofTests, faults: faults)
        _ = TestReader(reading: reading).read(name: "first", node)
        #expect(faults.sorted(files: []).map(\.description) == [])
        return faults.knownKeys
    }()

    private static func parse(_ text: String, _ faults: FaultList) -> TOMLNode? {
        TOMLFile.parse(ConfigurationFile(path: "example", bytes: Array(text.utf8)), faults: faults)
    }

    @Test("every table has exactly the keys that its reader knows", arguments: places)
    func keys(table: String, paths: [String]) throws {
        let documented = try #require(KeyTable.all.first { $0.name == table })
        let ofSources = Set(SourceTable.all.map(\.name) + SourceTable.all.flatMap { $0.parameters.map(\.name) })
        var known = paths.reduce(into: Set<String>()) { $0.formUnion(Self.known[$1] ?? []) }
        if ["[stream.NAME]", "on"].contains(table) { known.subtract(ofSources) }
        #expect(!known.isEmpty)
        #expect(Set(documented.keys.map(\.name)) == known)
        #expect(documented.keys.count == known.count)
    }

    @Test("no table is left out")
    func tables() {
        #expect(KeyTable.all.map(\.name).sorted() == Self.places.map(\.table).sorted())
        // The other tables that the readers know are in these, such as the steps of a stream.
        let inner = Self.known.keys.filter { path in !Self.places.contains { $0.paths.contains(path) } }
        #expect(Set(inner) == ["", "stream.inbox.through[0]"])
    }

    @Test("every default is that of config/rxd.toml")
    func defaults() throws {
        let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let text = try #require(readText(repository + "/config/rxd.toml"))
        let sections = [
            "#[action.greet]": "[action.NAME]", "#[reactor.light]": "[reactor.NAME]",
            "#[stream.saves]": "[stream.NAME]",
        ]
        var table: ConfigurationTable?
        var compared = 0
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#["), line.hasSuffix("]") {
                let name = sections[String(line)] ?? String(line.dropFirst())
                table = KeyTable.all.first { $0.name == name }
            }
            guard let match = line.wholeMatch(of: /# ([a-zA-Z-]+) = (.+?)(?: +# .*)?/),
                let key = table?.keys.first(where: { $0.name == match.1 })
            else { continue }
            #expect(key.standard == String(match.2), "\(table?.name ?? "") \(match.1)")
            compared += 1
        }
        #expect(compared > 50)
    }

    @Test("texts are sentences, and the JSON has all of them")
    func texts() {
        for table in KeyTable.all {
            for text in [table.summary] + table.keys.map(\.summary) {
                #expect(text.hasSuffix("."), "\(table.name): \(text)")
            }
            for key in table.keys { #expect(!key.value.isEmpty && !key.value.hasSuffix("."), "\(key.name)") }
        }
        let written = KeyTable.values.map { $0.value() }
        #expect(written.map { $0["table"]?.string } == KeyTable.all.map(\.name))
        #expect(written.map { $0["keys"]?.array?.count } == KeyTable.all.map(\.keys.count))
    }
}
