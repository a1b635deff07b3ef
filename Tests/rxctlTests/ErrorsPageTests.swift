import RxProtocol
import TestSupport
import Testing

@testable import rxctl

/// What docs/errors.md states about each error.
@Suite("docs/errors.md")
struct ErrorsPageTests {
    private let page: String
    private let lines: [Substring]

    init() throws {
        let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        page = try #require(readText(repository + "/docs/errors.md"))
        lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("its table has each error with its code, the exit status of rxctl, and the meaning, in their order")
    func table() {
        let expected = ErrorCode.allCases.map { code in
            let status = Outcome.error(code).exitStatus
            return "| [`\(code.name)`](#\(code.name.lowercased())) | \(code.rawValue) | \(status) | \(code.meaning) |"
        }
        #expect(lines.filter { $0.hasPrefix("| [`") }.map(String.init) == expected)
    }

    @Test("each error has a section with an example of its message", arguments: ErrorCode.allCases)
    func section(code: ErrorCode) throws {
        let begin = try #require(lines.firstIndex(of: "## `\(code.name)`"))
        let section = lines[(begin + 1)...].prefix { !$0.hasPrefix("## ") }
        let text = section.joined(separator: "\n")
        let example = text.contains("```") || section.contains { $0.hasPrefix("    rxctl: ") }
        #expect(example)
        // What happened and what to do take more than a line.
        #expect(section.filter { !$0.hasPrefix("    ") }.joined().count > 100)
    }

    @Test("no other error has a section")
    func complete() {
        let names = lines.filter { $0.hasPrefix("## `") }.map { String($0.dropFirst(4).dropLast()) }
        #expect(names == ErrorCode.allCases.map(\.name))
    }

    @Test("every cause of a disabled action, every limit, and every unclean end is explained")
    func words() {
        let causes = ["executing", "condition", "manual", "stopping", "rule"]
        for cause in causes { #expect(page.contains("| `\(cause)`")) }
        let reasons = [EndReason.removed, .revoked, .limit, .shutdown]
        for reason in reasons { #expect(page.contains("`\(reason.rawValue)`")) }
        let limits = [
            "connections", "connectionsPerUid", "subscriptionsPerConnection", "keys", "keysPerUid", "bytesPerUid",
        ]
        for limit in limits { #expect(page.contains("`\(limit)`"), "\(limit)") }
    }
}
