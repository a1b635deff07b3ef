import Glibc
import RxProtocol
import Testing

@Suite("docs/protocol.md")
struct ProtocolPageTests {
    private static let path =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/docs/protocol.md"

    @Test("is what the protocol's description generates; `make protocol` rewrites it")
    func page() throws {
        let page = try read()
        let (fresh, sections) = ProtocolPage.regenerate(page)
        #expect(sections.sorted() == ProtocolPage.sections.keys.sorted())
        if getenv("RX_WRITE_PROTOCOL") != nil {
            try write(fresh)
        } else {
            #expect(page == fresh, "docs/protocol.md is not up to date: run make protocol")
        }
    }

    @Test("names every event channel and every reason for an end in its introduction")
    func words() throws {
        let page = try read()
        let introduction = try #require(page.firstRange(of: "<!-- generated: methods -->"))
        let text = page[..<introduction.lowerBound]
        for channel in Channel.allCases { #expect(text.contains("`\(channel.rawValue)`")) }
        for reason in EndReason.allCases { #expect(text.contains("`\(reason.rawValue)`")) }
    }

    private func read() throws -> String {
        let file = try #require(fopen(Self.path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(_ text: String) throws {
        let file = try #require(fopen(Self.path, "w"))
        defer { fclose(file) }
        #expect(fputs(text, file) >= 0)
    }
}
