import HostTestSupport
import RxRecords
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxConfiguration

/// `config/`, which is installed and sets nothing, and the configuration of the demo.
@Suite(.countedApart)
struct ExampleConfigurationTests {
    private let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// The installed file, with its sections and the values of its examples: the lines that begin with "#" and no
    /// space.
    private var text: String {
        let text = readText(repository + "/config/rxd.toml") ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("#") && line.dropFirst().first.map { $0 != " " } ?? false
                ? String(line.dropFirst()) : String(line)
        }.joined(separator: "\n")
    }

    /// `text` with every default: the lines that begin with "#", a space, and a key.
    private var uncommented: String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.hasPrefix("# "), let key = line.dropFirst(2).split(separator: " ").first,
                key.utf8.allSatisfy(isBareKeyByte), line.dropFirst(2 + key.count).hasPrefix(" = ")
            else { return String(line) }
            return String(line.dropFirst(2))
        }.joined(separator: "\n")
    }

    private var demo: String { repository + "/examples/demo" }

    private func load(_ text: String) throws -> Configuration {
        let copy = TemporaryDirectory()
        copy.write("rxd.toml", text)
        return try Configuration.load(directory: copy.path)
    }

    @Test("the installed configuration is all comments, and sets nothing")
    func installed() throws {
        let text = try #require(readText(repository + "/config/rxd.toml"))
        #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
        #expect(try Configuration.load(directory: repository + "/config") == Configuration())
    }

    @Test("its examples are a configuration without faults")
    func examples() throws {
        let configuration = try load(text)
        #expect(configuration.actions.map(\.name) == ["echo", "greet"])
        #expect(configuration.reactors.map(\.name) == ["light"])
    }

    @Test("the demo's configuration has no faults")
    func loads() throws {
        let configuration = try Configuration.load(directory: demo)
        #expect(
            configuration.actions.map(\.name)
                == ["countdown", "deploy", "disk", "echo", "fail", "greet", "release", "ticks"])
        #expect(configuration.reactors.map(\.name) == ["light", "order", "todo"])
        #expect(configuration.limits == Limits())
        #expect(configuration.stopTimeout == Configuration().stopTimeout)
        #expect(configuration.access == Access())
    }

    @Test("every default that is shown is the default: taking all of them in changes nothing")
    func defaults() throws {
        #expect(uncommented != text)
        func values(_ text: String) throws -> Configuration {
            var configuration = try load(text)
            for index in configuration.reactors.indices { configuration.reactors[index].lines = [:] }
            for index in configuration.streams.indices { configuration.streams[index].lines = [:] }
            return configuration
        }
        #expect(try values(uncommented) == values(text))
    }

    @Test("the keys that are shown are the keys that are known, in each place")
    func complete() throws {
        let faults = FaultList()
        let file = ConfigurationFile(path: "example", bytes: Array(uncommented.utf8))
        let root = try #require(TOMLFile.parse(file, faults: faults))
        _ = ConfigurationReader(surroundings: .ofTests, faults: faults).read([root])
        let known = faults.knownKeys
        let shown = keys(of: root)
        #expect(shown[""] == known[""])
        for section in ["rxd", "limits", "history", "access", "defaults"] { #expect(shown[section] == known[section]) }
        #expect(shown["action.greet"] == known["action.greet"]?.subtracting(["builtin"]))
        #expect(shown["action.echo"] == known["action.echo"]?.subtracting(["run", "limit", "parallel"]))
        #expect(shown["reactor.light"] == known["reactor.light"])
        #expect(known["action.greet"]?.contains("run") == true)
    }

    private func reactor(_ name: String, host: FakeHost = FakeHost()) throws -> ReactorHarness {
        let configuration = try Configuration.load(directory: demo)
        let reactor = configuration.reactors.first { $0.name == name }
        return try ReactorHarness(#require(reactor?.plan), host: host)
    }

    @Test("the light switch switches")
    func light() async throws {
        let light = try reactor("light")
        for action in ["toggle", "on", "off", "toggle"] as [JSONValue] { #expect(await light.dispatch(action) == nil) }
        #expect(light.outlet.now.states.map { $0["on"] } == [true, true, false, true])
        #expect(light.outlet.now.state["switched"] == 4)
        await light.stop()
    }

    @Test("the task list is one, and a failed release a task")
    func todo() async throws {
        let host = FakeHost()
        let list = try reactor("todo", host: host)
        for title in ["one", "two", "three"] as [JSONValue] { _ = await list.dispatch(["add": title]) }
        #expect(await list.dispatch(["done": 2]) == nil)
        #expect(await list.dispatch(["move": 3, "to": 0]) == nil)
        #expect(await list.dispatch(["remove": 1]) == nil)
        async let released = list.dispatch(["release": ["env": "prod"]])
        while host.now.executions.isEmpty { await Task.yield() }
        host.now.executions[0].onEnd(RawJSON(["message": "no token"]))
        #expect(await released == nil)
        #expect(
            list.outlet.now.state == [
                "next": 5,
                "tasks": [
                    ["id": 3, "title": "three", "done": false], ["id": 2, "title": "two", "done": true],
                    ["id": 4, "title": "release again: no token", "done": false],
                ],
            ])
        #expect(list.outlet.now.wrongPatches == 0)
        await list.stop()
    }

    @Test("its process actions work on a bare Debian")
    func works() async throws {
        let configuration = try Configuration.load(directory: demo)
        func execute(_ name: String, _ input: String) throws -> Recorded {
            let action = try #require(configuration.actions.first { $0.name == name })
            guard case .process(let process) = action.kind else { throw WorkFailure(message: "\(name) is no process") }
            return Recorded(process, input: input)
        }
        #expect(try await execute("greet", #"{"name":"a b"}"#).all() == [#""Hello, a b!""#])
        #expect(try await execute("countdown", #"{"from":1}"#).all() == [#""1""#])
        #expect(try await execute("release", #"{"env":"prod","version":"v1"}"#).all() == [#""released v1 to prod""#])
        let disk = try execute("disk", "null")
        let elements = await disk.all()
        #expect(disk.isCompleted)
        #expect(elements.allSatisfy { RawJSON(unchecked: Array($0.utf8)).value()["used"]?.int != nil })
        let deploy = try execute("deploy", "{}")
        #expect(await deploy.all() == [#""fetch""#, #""build""#, #""test""#])
        #expect(deploy.failure?.facts == ["exit": 3, "stderr": "test: 2 of 40 failed"])
    }

    /// The keys of each table, by its own.
    private func keys(of node: TOMLNode, at path: [String] = []) -> [String: Set<String>] {
        guard case .table(let members) = node.content else { return [:] }
        return members.reduce(into: [dottedKey(path): Set(members.keys)]) { found, member in
            found.merge(keys(of: member.value, at: path + [member.key])) { $1 }
        }
    }
}
