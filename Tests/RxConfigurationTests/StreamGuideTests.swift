import Jq
import Testing
import TestSupport

@testable import RxConfiguration

/// The TOML of docs/streams.md.
@Suite(.countedApart)
struct StreamGuideTests {
    private static let guide =
        readText(#filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/docs/streams.md") ?? ""

    /// The blocks, each with the line of its first line.
    private static let blocks: [String] = {
        var blocks: [String] = []
        var block: [Substring]?
        for line in guide.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```toml" {
                block = []
            } else if line == "```", let lines = block {
                blocks.append(lines.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }()

    @Test("every block is a configuration without faults and warnings; its tests pass", arguments: blocks)
    func block(_ text: String) throws {
        let configurations = StreamConfigurations()
        let parts = text.split(separator: "[test.", maxSplits: 1)
        let configuration = try configurations.load(String(parts[0]))
        // Only a test uses the stream of the block about tests.
        let isTested = parts.count > 1
        let warnings = configuration.warnings.filter { !isTested || !"\($0)".contains("nothing uses the stream") }
        #expect(warnings.isEmpty)
        guard parts.count > 1 else { return }
        configurations.directory.write("tests/guide.toml", "[test." + parts[1])
        let tests = try configuration.tests(directory: configurations.directory.path)
        #expect(!tests.isEmpty)
        let suite = ConfiguredTestSuite(configuration, evaluator: LocalEvaluator())
        for test in tests {
            let report = TestReport(test, suite.run(test))
            #expect(!report.isFault, "\(report.text.joined(separator: "\n"))")
        }
    }

    @Test("the blocks are found")
    func found() { #expect(Self.blocks.count > 5) }
}
