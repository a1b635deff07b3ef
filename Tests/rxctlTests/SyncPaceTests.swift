import Testing

@testable import rxctl

struct SyncPaceTests {
    @Test("a sync follows a line by a second, or by fifty times as long as the last one took")
    func pause() {
        var pace = SyncPace()
        #expect(pace.pause == .seconds(1))
        pace.took(.milliseconds(100))
        #expect(pace.pause == .seconds(5))
        pace.took(.milliseconds(2))
        #expect(pace.pause == .seconds(1))
    }
}
