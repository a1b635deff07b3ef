import Testing

@testable import RxJSON

/// The scan and simdjson are two readings of one grammar: each is the other's test.
struct JSONSyntaxScanTests {
    private func scanAccepts(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            (try? JSONSyntaxScan.numbersOutOfRange(in: buffer, depth: 128, reporting: 1).isEmpty) ?? false
        }
    }

    @Test("the scan accepts what simdjson accepts and refuses what it refuses")
    func table() {
        for text in JSONGrammarTests.valid { #expect(scanAccepts(Array(text.utf8)), "\(text)") }
        for text in JSONGrammarTests.invalid { #expect(!scanAccepts(Array(text.utf8)), "\(text)") }
    }

    @Test("both agree on fifty thousand texts with a few bytes changed")
    func mutations() {
        var random = RandomJSON(generator: SeededGenerator(seed: 2026))
        let alphabet = Array("[]{}:,\"\\u0dD8tfn-+.eE19 \n/".utf8) + [0, 0x1F, 0xC3, 0xA9, 0xFF]
        var accepted = 0
        for _ in 0..<2_500 {
            let text = RawJSON(random.value(depth: 3)).utf8
            for _ in 0..<20 {
                var changed = text
                for _ in 0..<Int.random(in: 1...3, using: &random.generator) {
                    let place = Int.random(in: 0...changed.count, using: &random.generator)
                    let byte = alphabet.randomElement(using: &random.generator)!
                    switch Int.random(in: 0..<3, using: &random.generator) {
                    case 0: changed.insert(byte, at: place)
                    case 1: if place < changed.count { changed[place] = byte }
                    case _: if place < changed.count { changed.remove(at: place) }
                    }
                }
                let refused = refusal(changed)
                // The scan leaves encoding to simdjson.
                if refused?.kind == .encoding { continue }
                let agrees = scanAccepts(changed) == (refused == nil)
                #expect(agrees, "\(String(decoding: changed, as: UTF8.self))")
                // A refusal that the scan could not explain.
                #expect(refused?.message != "not JSON", "\(String(decoding: changed, as: UTF8.self))")
                if refused == nil { accepted += 1 }
            }
        }
        // Or else the changes would be too coarse to test anything.
        #expect(accepted > 2_500)
    }
}
