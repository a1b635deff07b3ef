import ArgumentParser
import Testing

@testable import rxctl

struct UsageFaultTests {
    @Test(
        "a command that rxctl does not have is answered with the one that was meant",
        arguments: [
            (["excute", "a"], "did you mean rxctl execute?"), (["run"], "did you mean rxctl execute?"),
            (["-s", "/x", "ls"], "did you mean rxctl list?"), (["--wait", "1s", "ps"], "did you mean rxctl list?"),
            (["--json", "log"], "did you mean rxctl logs?"), (["xyz123"], "rxctl --help lists the commands"),
        ])
    func command(arguments: [String], advice: String) {
        #expect(CommandNames.fault(in: arguments)?.hasSuffix("; \(advice)") == true)
    }

    @Test("what other programs call a command leads to one that there is")
    func elsewhere() {
        for name in CommandNames.all { #expect(CommandNames.fault(in: [name]) == nil) }
        for (word, command) in CommandNames.elsewhere where !command.hasPrefix("--") {
            #expect(!CommandNames.all.contains(word), "\(word) is a command")
            #expect(CommandNames.all.contains(String(command.split(separator: " ")[0])), "\(command)")
        }
    }

    @Test("a negative number that was taken for an option is explained")
    func negative() {
        func message(_ arguments: [String]) -> String? {
            do {
                _ = try RootCommand.parseAsRoot(arguments)
                return nil
            } catch {
                return UsageFault(error, in: arguments).message
            }
        }
        #expect(message(["execute", "a", "-1"]) == "Unknown option '-1'; a negative number needs -- before it")
        #expect(message(["execute", "a", "--", "-1"]) == nil)
        #expect(message(["execute", "a", "-q"]) == "Unknown option '-q'")
    }

    @Test("--json is found among the options, and not after --")
    func json() {
        #expect(
            UsageFault.wantsJSON(["execute", "--json"]) && !UsageFault.wantsJSON(["execute", "a", "--", "--json"]))
    }
}
