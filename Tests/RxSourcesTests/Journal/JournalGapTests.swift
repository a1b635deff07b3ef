import Testing

@testable import RxSources

@Suite("A gap in the journal")
struct JournalGapTests {
    @Test("is what the numbers of one journald leave out")
    func numbers() {
        #expect(JournalGap(after: "s=a;i=1f;b=2", before: "s=a;i=20;b=2") == nil)
        #expect(JournalGap(after: "s=a;i=1f", before: "s=a;i=22")?.count == 2)
    }

    @Test("has no number if another journald has numbered what follows")
    func others() {
        let gap = JournalGap(after: "s=a;i=1f", before: "s=b;i=1")
        #expect(gap != nil && gap?.count == nil)
        #expect(JournalGap(after: "nonsense", before: "s=b;i=1") == nil)
    }
}
