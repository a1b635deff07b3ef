import TestSupport
import Testing

/// Types the console blocks of README.md and docs/*.md and compares the output with the document.
@Suite(.ownThreads(limit: .seconds(300)))
struct DocumentTests {
    /// A command of a console block and its output.
    struct Example {
        var command: String
        var output: [String] = []
    }

    private static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// README.md and the documents in docs/ that have a console block, relative to the repository.
    static let documents: [String] =
        (["README.md"] + Files.names(in: repository + "/docs").filter { $0.hasSuffix(".md") }.map { "docs/" + $0 })
        .filter { !blocks(of: $0).isEmpty }.sorted()

    /// The examples of each console block of a document.
    ///
    /// A line that begins with "$ " is a command. Indented lines right after it belong to it; the others are its
    /// output.
    private static func blocks(of document: String) -> [[Example]] {
        let text = Files.read("\(repository)/\(document)") ?? ""
        return text.components(between: "```console\n", and: "```").map { block in
            var examples: [Example] = []
            for line in block.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                if line.hasPrefix("$ ") {
                    examples.append(Example(command: String(line.dropFirst(2))))
                } else if examples.last?.output.isEmpty ?? false, line.hasPrefix("    ") {
                    examples[examples.count - 1].command += "\n" + line
                } else {
                    examples[examples.count - 1].output.append(String(line))
                }
            }
            return examples
        }
    }

    @Test("the documents with console blocks are found")
    func found() {
        for document in ["README.md", "docs/access.md", "docs/operating.md", "docs/reactors.md", "docs/rxctl.md"] {
            #expect(DocumentTests.documents.contains(document))
        }
    }

    /// Each block has a directory and a daemon of its own, so that a reader can begin with any of them.
    @Test(
        "every console block of a document prints the output that it shows",
        .enabled(if: Programs.installed("socat") != nil, "socat is not installed"), arguments: documents)
    func consoleBlocks(document: String) async throws {
        for block in DocumentTests.blocks(of: document) {
            try await withSandbox { sandbox in
                let daemon = try await sandbox.startDaemon(["--config", DocumentTests.repository + "/examples/demo"])
                // A mark before each command separates the outputs and preserves the status of the command before.
                let script = block.enumerated().map { index, example in
                    "status=$?; echo '@@\(index)'; (exit $status)\n\(example.command)"
                }
                let result = try await sandbox.shell(
                    "exec 2>&1; cd '\(sandbox.directory)'; PATH=\"$(dirname \"$rxctl\"):$PATH\"\n"
                        + script.joined(separator: "\n"))
                let outputs = result.output.split(separator: "@@").map { part in
                    part.split(separator: "\n").dropFirst().map(String.init)
                }
                try #require(outputs.count == block.count, "\(result.output)")
                for (example, output) in zip(block, outputs) {
                    #expect(
                        output.map(withoutIdentity) == example.output.map(withoutIdentity), "$ \(example.command)")
                }
                try await sandbox.stopCleanly(daemon)
            }
        }
    }

    /// Replaces ids, times, and users, which differ between runs.
    private func withoutIdentity(_ line: String) -> String {
        line.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "ID")
            .replacing(/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z/, with: "TIME")
            .replacing(/uid [0-9]+( \([^)]*\))?, pid [0-9]+/, with: "WHO")
    }
}

extension String {
    /// The parts between each `start` and the `end` that follows it.
    fileprivate func components(between start: String, and end: String) -> [Substring] {
        var rest = self[...]
        var parts: [Substring] = []
        while let begin = rest.firstRange(of: start),
            let finish = rest[begin.upperBound...].firstRange(of: end)
        {
            parts.append(rest[begin.upperBound..<finish.lowerBound])
            rest = rest[finish.upperBound...]
        }
        return parts
    }
}
