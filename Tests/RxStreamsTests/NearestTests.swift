import Testing
import TestSupport

@testable import RxStreams

@Suite(.countedApart)
struct NearestTests {
    private let known = ["description", "run", "output", "timeout", "grace", "cwd", "env", "retry"]

    @Test(
        "a slip is distinguished from something else",
        arguments: [
            ("desciption", "description"), ("Output", "output"), ("time-out", "timeout"), ("timout", "timeout"),
            ("rnu", "run"), ("garce", "grace"), ("envv", "env"), ("cmd", "cwd"), ("xyz", nil), ("schedule", nil),
            ("q", nil), ("retries", "retry"),
        ] as [(String, String?)])
    func nearestName(_ written: String, _ meant: String?) {
        #expect(nearest(to: written, among: known) == meant)
    }

    @Test("insertions, removals, replacements and swaps count one each")
    func distances() {
        #expect(editDistance(Array("abc"), Array("abc")) == 0)
        #expect(editDistance(Array("abc"), Array("abxc")) == 1)
        #expect(editDistance(Array("abc"), Array("ac")) == 1)
        #expect(editDistance(Array("abc"), Array("axc")) == 1)
        #expect(editDistance(Array("abc"), Array("acb")) == 1)
        #expect(editDistance(Array(""), Array("abc")) == 3)
        #expect(editDistance(Array("kitten"), Array("sitting")) == 3)
    }
}
