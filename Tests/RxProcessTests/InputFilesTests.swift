import Glibc
import HostTestSupport
import RxHost
import RxJSON
import RxRecords
import TestSupport
import Testing

@testable import RxProcess

@Suite(.countedApart)
struct InputFilesTests {
    private let directory = TemporaryDirectory()

    private var files: InputFiles {
        InputFiles(stateDirectory: directory.path, runtimeDirectories: [nil])
    }

    private func execution(_ script: String, input: String, files: InputFiles?) -> Recorded {
        Recorded(
            ProcessDefinition(arguments: [
                .text("/bin/sh"), .text("-c"), .text(script), .text("sh"), .file(try! JSONPointer("/token"), "/token"),
            ]),
            input: input, launcher: Harness.launcher(inputFiles: files))
    }

    @Test("the program gets the path of a file that only its user can read, and that is gone after its end")
    func file() async throws {
        let script = #"""
            echo "$1"; stat -c %a "$1" "$(dirname "$1")"; cat "$1"; tr '\0' ' ' </proc/$$/cmdline >&2; exit 3
            """#
        let execution = execution(script, input: #"{"token":"s\u00e9cret\nline"}"#, files: files)
        let output = await execution.all().map { $0.replacing("\"", with: "") }
        #expect(output.dropFirst() == ["600", "700", "sécret", "line"])
        let path = try #require(output.first)
        #expect(path.hasPrefix(directory.path + "/inputs/" + execution.id))
        #expect(access(path, F_OK) == -1)
        #expect(execution.notes.map(\.text).contains { $0.contains(path) && !$0.contains("cret") })
    }

    @Test(
        "a value that is no string is in the file as JSON",
        arguments: [("7.50", "7.50"), ("true", "true"), (#"{"a":[1]}"#, #"{"a":[1]}"#)])
    func values(value: String, content: String) async {
        let execution = execution(#"cat "$1""#, input: #"{"token":\#(value)}"#, files: files)
        #expect(await execution.all() == [RawJSON(.string(content)).text])
    }

    @Test("an input without the value is refused")
    func refused() {
        let definition = ProcessDefinition(arguments: [.text("x"), .file(try! JSONPointer("/token"), "/token")])
        func messages(_ input: String) -> [String] {
            definition.faults(in: RawJSON(unchecked: Array(input.utf8))).map { "\($0.path) \($0.message)" }
        }
        #expect(messages("{}") == ["/token is required"])
        #expect(messages(#"{"token":null}"#) == ["/token must not be null"])
        #expect(messages(#"{"token":"a\u0000b"}"#) == [])
    }

    @Test("a program that cannot be started leaves no file, and a directory of others is not used")
    func failures() async throws {
        let definition = ProcessDefinition(arguments: [.text("/no/such"), .file(try JSONPointer(""), "")])
        let launcher = Harness.launcher(inputFiles: files)
        let failed = Recorded(definition, input: "1", launcher: launcher)
        _ = await failed.all()
        #expect(failed.failure?.facts["errno"] == "ENOENT")
        #expect(directory.names(in: "inputs") == [])

        #expect(chmod(directory.path + "/inputs", 0o755) == 0)
        let refused = Recorded(definition, input: "1", launcher: launcher)
        _ = await refused.all()
        #expect(refused.failure?.facts == ["errno": "EPERM", "path": .string(directory.path + "/inputs")])
    }

    @Test("what a killed daemon left behind is removed, whichever directory it was in")
    func leftovers() throws {
        let runtime = TemporaryDirectory()
        for candidates in [[nil, runtime.path], [runtime.path + ":/other"], ["/nonexistent", nil]] {
            let files = InputFiles(stateDirectory: directory.path, runtimeDirectories: candidates)
            let path = try files.write([1], name: "e-1-0")
            #expect(path.hasPrefix(candidates == ["/nonexistent", nil] ? directory.path : runtime.path))
            // The next daemon finds it by its state directory.
            InputFiles(stateDirectory: directory.path + "/.", runtimeDirectories: candidates).removeAll()
            #expect(access(path, F_OK) == -1)
        }
    }

    @Test("a warning of files on a disk names an action and the directory")
    func disk() throws {
        let files = InputFiles(stateDirectory: "/state", runtimeDirectories: [nil])
        #expect(files.warningOfDisk(for: []) == nil)
        let one = try #require(files.warningOfDisk(for: ["publish"]))
        #expect(one.hasPrefix("the action publish passes parts of inputs as files, which are on a disk (/state/inpu"))
        let several = try #require(files.warningOfDisk(for: ["publish", "a", "b"]))
        #expect(several.hasPrefix("the action publish and 2 more pass parts"))
    }

    @Test("nothing is removed from behind a link that another user put in the place of the directory")
    func link() throws {
        let (runtime, other) = (TemporaryDirectory(), TemporaryDirectory())
        let files = InputFiles(stateDirectory: directory.path, runtimeDirectories: [runtime.path])
        let path = try files.write([1], name: "e-1-0")
        let place = String(path.dropLast("/e-1-0".count))
        files.removeAll()
        #expect(rmdir(place) == 0)
        let victim = other.path + "/victim"
        close(open(victim, O_CREAT | O_WRONLY, 0o600))
        #expect(chmod(other.path, 0o700) == 0 && symlink(other.path, place) == 0)
        InputFiles(stateDirectory: directory.path, runtimeDirectories: [runtime.path]).removeAll()
        #expect(access(victim, F_OK) == 0)
        unlink(place)
    }
}

extension TemporaryDirectory {
    fileprivate func names(in name: String) -> [String]? {
        guard let stream = opendir("\(path)/\(name)") else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let item = readdir(stream) {
            names.append(
                withUnsafeBytes(of: item.pointee.d_name) { name in
                    String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { !$0.hasPrefix(".") }
    }
}
