import Glibc
import RxStreams
import TestSupport
import Testing

@testable import RxSources

/// What sources find wrong with their own arguments.
@Suite(.countedApart)
struct SourceCheckTests {
    private func problems(
        _ kind: String, _ arguments: [String: ArgumentValue], reader: FileReader? = .process
    ) -> [String] {
        SourceCheck(reader: reader).problems(of: ExternalSource(kind, arguments)).map { problem in
            "\(problem.isFault ? "fault" : "warning") \(problem.path.joined(separator: " ")): \(problem.message)"
        }
    }

    @Test("a pattern with an open set is a fault at its place")
    func globs() {
        let options: [String: ArgumentValue] = [
            "path": .text("/srv"), "include": .texts(["*.md", "[a-"]), "exclude": .texts(["/"]),
        ]
        #expect(
            problems("path", options) == [
                "fault include [1]: \"[a-\" is not a pattern: a set such as [a-z] is not closed",
                "fault exclude [0]: \"/\" is not a pattern: it names nothing",
            ])
    }

    @Test("a unit, a signal, a field of the journal, and a name on a bus have the faults of their grammars")
    func grammars() {
        #expect(
            problems("unit", ["unit": .text("nginx")]) == [
                "fault unit: nginx has no type; write nginx.service if it is a service"
            ])
        #expect(
            problems("signal", ["signal": .text("HUP")]) == [
                "fault signal: HUP has a meaning for the daemon; use USR1, USR2, or RTMIN+1 to RTMAX"
            ])
        #expect(
            problems("journal", ["journal": .table(["PRIORITY": "9"])]) == [
                "fault journal PRIORITY: \"9\" is not a priority; write 0 (emerg) to 7 (debug)"
            ])
        #expect(
            problems("bus", ["bus": .table(["member": "a.b"])]) == [
                "fault bus member: \"a.b\" is not a valid member; write one such as Changed"
            ])
        #expect(problems("unit", ["unit": .text("*.service")]).isEmpty)
        #expect(problems("signal", ["signal": .text("USR1")]).isEmpty)
        #expect(problems("journal", ["journal": .table(["PRIORITY": "0..3"])]).isEmpty)
        #expect(problems("bus", ["bus": .table(["member": "Changed"])]).isEmpty)
    }

    @Test("a path in a directory of the service's own is a warning, and so is one that is missing")
    func paths() {
        let ofService = SourceCheck(isOfService: true)
        for path in ["/tmp/x", "/var/tmp"] {
            for kind in ["path", "lines"] {
                let found = ofService.problems(of: ExternalSource(kind, [kind: .text(path)]))
                #expect(
                    found.map(\.message) == [
                        "\(path) is in a directory of the service's own, because rxd.service has PrivateTmp; files of "
                            + "others do not appear there"
                    ])
                #expect(found.map(\.isFault) == [false])
            }
        }
        #expect(ofService.problems(of: ExternalSource("path", ["path": .text("/tmpfs")])).isEmpty)
        #expect(problems("path", ["path": .text("/usr")]).isEmpty)
        #expect(
            problems("path", ["path": .text("/none/at/all")]) == [
                "warning path: /none/at/all does not exist; the stream emits nothing until it does"
            ])
        #expect(
            problems("lines", ["lines": .text("/usr/none.log")]) == [
                "warning lines: /usr/none.log does not exist; the stream emits nothing until it does"
            ])
        // A start does not look.
        #expect(problems("path", ["path": .text("/none/at/all")], reader: nil).isEmpty)
    }

    @Test("a daemon has a directory of its own if systemd has mounted one, and a private daemon has none")
    func privateDirectories() {
        func messages(_ mounts: String, _ path: String) -> [String] {
            let table = MountTable(Array(mounts.utf8)) { _ in nil }
            return SourceCheck(reader: nil, mounts: table)
                .problems(of: ExternalSource("path", ["path": .text(path)])).map(\.message)
        }
        let own = "1 0 8:1 /tmp/systemd-private-4f-rxd.service-x1/tmp /tmp rw - ext4 /dev/sda1 rw\n"
        #expect(messages(own, "/tmp/x").count == 1)
        #expect(messages(own, "/var/tmp/x").isEmpty)
        #expect(messages("1 0 8:1 / /tmp rw - tmpfs tmpfs rw\n", "/tmp/x").isEmpty)
        #expect(messages(own + "2 0 8:1 / /tmp rw - tmpfs tmpfs rw\n", "/tmp/x").isEmpty, "what hides it counts")
    }

    @Test("a path on a file system of another machine is a warning, which needs no answer of that machine")
    func network() {
        let mounts = MountTable(Array("1 0 0:1 / /mnt rw - nfs4 server:/ rw\n".utf8)) { _ in nil }
        let check = SourceCheck(reader: nil, mounts: mounts)
        func problems(_ kind: String, _ path: String) -> [String] {
            check.problems(of: ExternalSource(kind, [kind: .text(path)])).map(\.message)
        }
        #expect(
            problems("path", "/mnt/data") == [
                "/mnt/data is on a network file system (nfs4); changes by other machines are not reported, and are "
                    + "found only by the scan at the next start"
            ])
        #expect(problems("lines", "/mnt/log").first?.hasSuffix("are found late") == true)
        #expect(problems("path", "/srv").isEmpty)
    }

    @Test(
        "what the user of the daemon cannot read is a warning with that user, also if root checks it",
        .enabled(if: getuid() == 0, "only root can check as another user"))
    func unreadable() throws {
        let nobody = try #require(FileReader.named("nobody"))
        let directory = TemporaryDirectory()
        directory.write("log", "x")
        chmod(directory.path, 0o755)
        let file = directory.path + "/log"
        // Below /tmp there is another warning.
        func found(_ kind: String, _ path: String, _ reader: FileReader) -> [String] {
            problems(kind, [kind: .text(path)], reader: reader).filter { $0.contains("cannot be read") }
        }
        #expect(found("lines", file, nobody).isEmpty)
        chmod(file, 0o600)
        #expect(
            found("lines", file, nobody) == [
                "warning lines: \(file) cannot be read; grant the user nobody the permission to read it"
            ])
        chmod(directory.path, 0o700)
        #expect(
            found("path", directory.path, nobody) == [
                "warning path: \(directory.path) cannot be read; grant the user nobody the permissions to read and "
                    + "enter it"
            ])
        #expect(found("path", directory.path, .process).isEmpty)
        let reasons = problems("path", ["path": .text(file)], reader: .process)
        #expect(
            reasons.contains(
                "warning path: \(file) is not a directory; to watch a file, set the path to its directory and "
                    + "`include` to its name"), "\(reasons)")
        #expect(!reasons.contains { $0.contains("cannot be read") })
        // A start does not look.
        #expect(problems("path", ["path": .text(directory.path)], reader: nil).isEmpty)
        #expect(FileReader.named("no such user") == nil)
    }
}
