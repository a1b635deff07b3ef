import RxJSON
import RxProcess
import TestSupport
import Testing

@testable import RxConfiguration

@Suite(.countedApart)
struct CommandWarningsTests {
    private let directory = TemporaryDirectory()

    /// The warnings without the file's path.
    private func warnings(_ text: String) throws -> [String] {
        directory.write("rxd.toml", text)
        var surroundings = StreamSurroundings.ofTests
        surroundings.programs = ProgramCheck()
        let configuration = try Configuration.load(directory: directory.path, surroundings: surroundings)
        return configuration.warnings.map { $0.description.replacing(directory.path + "/", with: "") }
    }

    private func warnings(ofRun words: String, _ keys: String = "") throws -> [String] {
        try warnings("[action.a]\nrun = \(words)\n\(keys)").map {
            $0.replacing("rxd.toml:2: warning: action.a.run", with: "").replacing("rxd.toml:3: warning: ", with: "")
        }
    }

    @Test("a program that is not there, or not executable, is a warning with its place")
    func programs() throws {
        #expect(
            try warnings(ofRun: #"["nosuch"]"#, #"env = { PATH = "/bin" }"#)
                == ["[0]: there is no program nosuch in PATH (/bin)"])
        #expect(
            try warnings(ofRun: #"["/nonexistent/x"]"#)
                == ["[0]: /nonexistent/x cannot be executed: No such file or directory (ENOENT)"])
        directory.write("plain", "text")
        #expect(try warnings(ofRun: "[\"\(directory.path)/plain\"]").first?.contains("cannot be executed") == true)
        #expect(try warnings(ofRun: "[\"./sh\"]", "cwd = \"/bin\"") == [])
        #expect(try warnings(ofRun: #"["sh", "-c", "ls ~/x | wc > $HOME/y", "|"]"#) == [])
    }

    @Test("a missing working directory is a warning, once for [defaults]")
    func directories() throws {
        let problem = "/nonexistent cannot be used: No such file or directory (ENOENT)"
        #expect(
            try warnings(ofRun: "[\"/bin/sh\"]", "cwd = \"/nonexistent\"") == ["action.a.cwd: \(problem)"])
        #expect(
            try warnings(
                "[defaults]\ncwd = \"/nonexistent\"\n[action.a]\nrun = [\"/bin/sh\"]\n[action.b]\nrun = [\"/bin/sh\"]")
                == ["rxd.toml:2: warning: defaults.cwd: \(problem)"])
    }

    @Test("what only a shell would understand is a warning with what to write")
    func shell() throws {
        #expect(
            try warnings(ofRun: #"["df -h"]"#) == [#"[0]: is one word, and nothing splits it; write ["df", "-h"]"#])
        #expect(
            try warnings(ofRun: #"["df | wc"]"#)
                == [#"[0]: is one word, and no shell reads it; write ["/bin/sh", "-c", "df | wc"]"#])
        for word in ["|", ">", "2>&1", "&&", "$HOME", "$HOME/x", "${X}", "$(date)", "`date`", "~", "~/x"] {
            #expect(try warnings(ofRun: "[\"/bin/ls\", \"\(word)\"]").count == 1, "\(word)")
        }
        for word in ["$1", "$x | .y", "a|b", "*.txt", "a~b", "$", "-~", "{print $NF}"] {
            #expect(try warnings(ofRun: "[\"/bin/ls\", \"\(word)\"]") == [], "\(word)")
        }
        #expect(try warnings(ofRun: #"["/bin/ls", { input = "/a" }]"#) == [])
    }

    @Test("an unknown keyword of a schema is a warning with its place and the nearest one")
    func keywords() throws {
        let text =
            #"input = { requried = ["x"], properties = { minimum = { minimun = 1 } }, x-own = 1, items = [{ a = 1 }] }"#
        #expect(
            try warnings(ofRun: "[\"/bin/ls\"]", text) == [
                "action.a.input: /items/0/a: is not a keyword of JSON Schema, and checks nothing",
                "action.a.input: /properties/minimum/minimun: is not a keyword of JSON Schema, and checks nothing; "
                    + "did you mean \"minimum\"?",
                "action.a.input: /requried: is not a keyword of JSON Schema, and checks nothing; did you mean "
                    + "\"required\"?",
            ])
    }

    @Test("contact is whom to ask for a right; an empty one is none")
    func contact() throws {
        func contact(_ text: String) throws -> String? {
            directory.write("rxd.toml", "[access]\ncontact = \"\(text)\"")
            return try Configuration.load(directory: directory.path).contact
        }
        #expect(try contact("ops@example.org") == "ops@example.org" && contact("") == nil)
        #expect(throws: ConfigurationErrors.self) { try contact(String(repeating: "x", count: 257)) }
    }
}
