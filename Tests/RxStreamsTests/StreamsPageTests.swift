import Glibc
import RxStreams
import Testing
import TestSupport

@Suite("docs/streams.md")
struct StreamsPageTests {
    private static let path =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/docs/streams.md"

    @Test("has the sources and operators of the tables; `make streams-page` rewrites it")
    func page() throws {
        let page = try #require(readText(Self.path))
        let (fresh, sections) = StreamsPage.regenerate(page)
        #expect(sections.sorted() == StreamsPage.sections.keys.sorted())
        if getenv("RX_WRITE_STREAMS") != nil {
            let file = try #require(fopen(Self.path, "w"))
            defer { fclose(file) }
            #expect(fputs(fresh, file) >= 0)
        } else {
            #expect(page == fresh, "docs/streams.md is not up to date: run make streams-page")
        }
    }
}

@Suite("The text of rxctl describe --operators")
struct ReferenceTextTests {
    @Test("names every source, operator, and parameter once, in 80 columns")
    func complete() {
        let lines = ReferenceText.lines()
        #expect(lines.filter { $0.count > 80 } == [])
        let entries = lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.map { $0.split(separator: " ")[0] }
        #expect(
            entries.map(String.init).sorted() == (SourceTable.all.map(\.name) + OperatorTable.all.map(\.name)).sorted())
        let parameters = SourceTable.all.flatMap(\.parameters) + OperatorTable.all.flatMap(\.parameters)
        let shown = lines.filter { $0.hasPrefix("      ") && !$0.hasPrefix("       ") && $0.contains(" = ") }
        #expect(
            shown.compactMap { $0.split(separator: " ").first.map(String.init) }.sorted()
                == parameters.map(\.name).sorted())
    }

    @Test("shows what a parameter is, whether it is required, and its default")
    func entry() {
        let text = ReferenceText.lines().joined(separator: "\n")
        #expect(text.contains("      initial = a value: the state for the first element (required)\n"))
        #expect(
            text.contains(
                """
                  throttle = a duration such as "10s"
                      Emits an element, then none for this long.
                      latest = true or false: whether the newest element that came meanwhile
                          follows then (default: true)
                """))
    }

    @Test("wraps at the columns that it is given")
    func columns() { #expect(ReferenceText.lines(columns: 60).allSatisfy { $0.count <= 60 }) }
}
