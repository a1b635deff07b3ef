import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl execute --after` and `--if-completed`, with work as slow as the test wants it.
@Suite(.ownThreads(limit: .seconds(120)))
struct AfterTests {
    /// The actions `turn`, of work that the test ends, and `note`, which writes down its input.
    private func withActions(
        _ policy: String, _ body: (Sandbox, Turns, Program) async throws -> Void
    ) async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", policy)
            sandbox.configure(
                """
                [action.note]
                run = ["/bin/sh", "-c", 'echo $1 >> $0/notes; echo $1', "\(sandbox.directory)", { input = "/n" }]
                overlap = "queue"
                durable = true

                [action.fails]
                run = ["/bin/sh", "-c", 'until [ -e $0/all ]; do sleep 0.01; done; exit 3', "\(sandbox.directory)"]

                """, file: "conf.d/note.toml")
            try await body(sandbox, turns, try await sandbox.startDaemon())
        }
    }

    private func notes(_ sandbox: Sandbox) -> [String] {
        (Files.read(sandbox.directory + "/notes") ?? "").split(separator: "\n").map(String.init)
    }

    private func state(_ id: String, _ sandbox: Sandbox) async throws -> String? {
        try await sandbox.history("note").first { $0["execution"]?.string == id }?["state"]?.string
    }

    @Test("waits for all that an action has in flight and queued at that moment, and for nothing that comes later")
    func afterAction() async throws {
        try await withActions("overlap = \"queue\"") { sandbox, turns, daemon in
            for n in 1...2 { _ = try await sandbox.detach("turn", #"{"n":\#(n)}"#) }
            let waiting = try await sandbox.startRxctl("execute", "note", "n=first", "--after", "turn")
            try await eventually("it waits") { try await sandbox.history("note").first?["state"] == "queued" }
            _ = try await sandbox.detach("turn", #"{"n":3}"#)
            turns.release(1)
            try await turns.untilStarted(2)
            #expect(notes(sandbox).isEmpty)
            turns.release(2)
            let result = try await waiting.result()
            #expect(result.status == 0 && result.lines == ["\"first\""])
            #expect(!turns.notes.contains("-3"))
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "turn").status == 0)
            // With nothing to wait for, it starts at once.
            #expect(try await sandbox.rxctl("execute", "note", "n=second", "--after", "turn").lines == ["\"second\""])
            let unknown = try await sandbox.rxctl("execute", "note", "n=1", "--after", "nobody")
            #expect(unknown.status == 5)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--if-completed starts nothing after a failure, also one that is past, and fails with the reason")
    func ifCompleted() async throws {
        try await withActions("") { sandbox, turns, daemon in
            let failing = try #require(try await sandbox.detach("fails", "{}")["execution"]?.string)
            let good = try #require(try await sandbox.detach("turn", #"{"n":1}"#)["execution"]?.string)
            func detach(_ n: String, _ after: String, _ more: String...) async throws -> String {
                let words = ["execute", "note", "n=\(n)", "--detach", "--after", after] + more
                return try await sandbox.rxctl(words).lines.first ?? ""
            }
            let no = try await detach("no", failing, "--if-completed")
            let yes = try await detach("yes", good, "--if-completed")
            let anyway = try await detach("anyway", failing)
            let canceled = try await detach("canceled", good)
            #expect(try await sandbox.rxctl("cancel", canceled).status == 0)
            turns.releaseAll()
            #expect(try await sandbox.rxctl("wait", "note").status == 0)
            #expect(Set(notes(sandbox)) == ["yes", "anyway"])
            let states = try await [no, yes, anyway, canceled].asyncMap { try await state($0, sandbox) }
            #expect(states == ["failed", "completed", "completed", "cancelled"])
            let refused = try await sandbox.rxctl(
                "execute", "note", "n=past", "--after", failing, "--if-completed", "--json")
            #expect(refused.status == 1)
            let data = try refused.refusal()["data"]
            #expect(data?["cause"] == "after" && data?["after"]?.string == failing)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("is kept over kill -9 while it waits, started once, in order, and knows how the others have ended")
    func restart() async throws {
        try await withActions("overlap = \"queue\"\ndurable = true") { sandbox, turns, first in
            var ids: [String] = []
            for n in 1...3 { ids.append(try await sandbox.detach("turn", #"{"n":\#(n)}"#)["execution"]?.string ?? "") }
            let accepted = try await sandbox.shell(
                """
                "$rxctl" execute note n=all --detach --after turn --key k
                "$rxctl" execute note n=interrupted --detach --after \(ids[0]) --if-completed
                "$rxctl" execute note n=second --detach --after \(ids[1]) --if-completed
                "$rxctl" execute note n=later --after \(ids[0]) --in 1h
                """)
            #expect(accepted.status == 0 && accepted.lines.count == 4, "\(accepted.error)")
            try await turns.untilStarted(1)
            first.signal(SIGKILL)
            _ = try await first.result()
            let second = try await sandbox.startDaemon()
            try await turns.untilStarted(2)
            try await eventually("the one after the interrupted execution has failed") {
                try await state(accepted.lines[1], sandbox) == "failed"
            }
            #expect(notes(sandbox).isEmpty)
            // The same key is the same execution, which still waits.
            let again = try await sandbox.rxctl(
                "execute", "note", "n=all", "--detach", "--after", "turn", "--key", "k")
            #expect(again.lines == [accepted.lines[0]])
            // A stop postpones it, too.
            try await sandbox.stopCleanly(second)
            #expect(notes(sandbox).isEmpty)
            let third = try await sandbox.startDaemon()
            turns.releaseAll()
            for n in [0, 1] { _ = try await sandbox.rxctl("wait", accepted.lines[n], "--timeout", "50s") }
            #expect(try await sandbox.rxctl("wait", "note", "--timeout", "50s").status == 0)
            #expect(notes(sandbox) == ["all"])
            // The second one was canceled by the stop.
            let states = try await accepted.lines.asyncMap { try await state($0, sandbox) }
            #expect(states == ["completed", "failed", "failed", "queued"])
            #expect(turns.executions.count == 3)
            try await sandbox.stopCleanly(third)
        }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
