import RxJSON
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords

/// What is kept of output in flight, against a model that has all of it.
struct RetainedOutputTests {
    private struct Yielded: Equatable {
        let ordinal: Int
        let number: UInt64
        let time: Int64
        let text: String

        var size: Int { text.utf8.count + 1 }
    }

    /// A JSON string of so many bytes.
    private static func text(_ size: Int, _ character: Character) -> String {
        size < 2 ? "7" : "\"" + String(repeating: character, count: size - 2) + "\""
    }

    private static func sequence(_ random: inout SplitMix, sizes: [ClosedRange<Int>]) -> [Yielded] {
        var all: [Yielded] = []
        var (number, time, latest) = (UInt64.random(in: 1...1000, using: &random), Int64(1_000_000), Int64(0))
        for ordinal in 1...Int.random(in: 1...120, using: &random) {
            number += UInt64.random(in: 1...1000, using: &random)
            time += Int64.random(in: -5...2000, using: &random)
            latest = max(latest, time)
            let size = Int.random(in: sizes.randomElement(using: &random)!, using: &random)
            let character = "abcdefgh".randomElement(using: &random)!
            // While the clock is set back, the time stands still.
            all.append(Yielded(ordinal: ordinal, number: number, time: latest, text: text(size, character)))
        }
        return all
    }

    /// Whether no further element would fit into the head, and none into the tail, of what is kept of these.
    private static func isWhole(_ kept: KeptElements, of all: [Yielded], _ limit: Int) -> Bool {
        let (head, tail) = (kept.keptInHead, kept.keptInTail)
        guard head.count < all.count else { return kept.tail == nil }
        let next = all[head.count]
        let last = head.last.map { ($0.number, $0.time) } ?? (0, 0)
        let size = KeptElements.Codec.size(next.text.utf8.count, number: next.number, time: next.time, after: last)
        guard kept.head.data.count + size > limit / 2 else { return false }
        guard head.count + tail.count < all.count else { return true }
        let before = all[all.count - tail.count - 1]
        let room = limit - kept.head.data.count - KeptElements.Codec.mostBesideText
        let start = tail.isEmpty ? 0 : 3
        return (kept.tail?.data.count ?? 0) - start + before.text.utf8.count + KeptElements.Codec.mostBesideText > room
    }

    private static func yielded(_ elements: [KeptElements.Element]) -> [Yielded] {
        elements.map { Yielded(ordinal: $0.ordinal, number: $0.number, time: $0.time, text: $0.text.text) }
    }

    @Test("the head is the longest prefix in half, the tail the longest suffix in the rest, at any moment")
    func elements() {
        var random = SplitMix(11)
        let sizes: [[ClosedRange<Int>]] = [[1...1], [1...20], [1...20, 100...400], [200...300], [1...3, 600...700]]
        for round in 0..<60 * Effort.times {
            let limit = [0, 1, 2, 64, 500, 501, 4000].randomElement(using: &random)!
            let all = Self.sequence(&random, sizes: sizes[round % sizes.count])
            var retained = RetainedElements(limit: limit)
            for (index, element) in all.enumerated() {
                let text = RawJSON(unchecked: Array(element.text.utf8))
                let isAppended =
                    round % 4 != 0 && retained.appendToBlock(text, number: element.number, time: element.time)
                if !isAppended { retained.append(text, number: element.number, time: element.time) }
                guard index % 7 == 0 || index + 1 == all.count else { continue }
                let came = Array(all[...index])
                let kept = retained.snapshot.kept
                let (head, tail) = (Self.yielded(kept.keptInHead), Self.yielded(kept.keptInTail))
                let hint: Comment = "round \(round), limit \(limit), \(came.count) elements"
                #expect(head == Array(came.prefix(head.count)) && tail == Array(came.suffix(tail.count)), hint)
                #expect(kept.head.data.count <= limit / 2, hint)
                #expect(kept.head.data.count + (kept.tail?.data.count ?? 0) <= limit, hint)
                #expect(Self.isWhole(kept, of: came, limit), hint)
                #expect(kept.count == came.count && kept.bytes == came.reduce(0) { $0 + $1.size })
                #expect((kept.tail != nil) == (head.count < came.count))
                #expect(kept.head.numbers == head.first.map { $0.number...head.last!.number })
                // A tail's numbers are those of all that the head does not have.
                let rest = kept.tail.map { _ in came[head.count].number...came.last!.number }
                #expect(kept.tail.flatMap(\.numbers) == rest)
                #expect(kept.missing == came.count - head.count - tail.count)
            }
        }
    }

    @Test("many short elements, and those in which a secret of one character is replaced, take no more than the limit")
    func shortElements() throws {
        let limit = 64 << 10
        var retained = RetainedElements(limit: limit)
        for number in 1...100_000 {
            retained.append(RawJSON(number % 2 == 0 ? "y" : "n"), number: UInt64(number), time: Int64(number))
        }
        let kept = retained.snapshot.kept
        let mask = try #require(SecretMask(["y"]))
        let masked = mask.masking(KeptOutput(elements: kept), limit: limit, isOver: true).elements
        #expect(masked.kept.map(\.text.text).contains(#""[redacted]""#))
        for elements in [kept, masked] {
            let tail = try #require(elements.tail)
            let bytes = elements.head.data.count + tail.data.count
            #expect(bytes <= limit && bytes > limit - 100, "\(bytes)")
            let (first, last) = (elements.keptInHead, elements.keptInTail)
            #expect(first.map(\.ordinal) == Array(1...first.count))
            #expect(last.map(\.ordinal) == Array((100_001 - last.count)...100_000))
            #expect(elements.missing == 100_000 - first.count - last.count && elements.count == 100_000)
            #expect(elements.head.numbers == 1...UInt64(first.count))
            #expect(tail.numbers == UInt64(first.count) + 1...100_000)
        }
    }

    @Test("elements that secrets lengthen beyond the limit leave a gap, also if all were kept before")
    func lengthened() throws {
        let limit = 600
        var retained = RetainedElements(limit: limit)
        for number in 1...50 { retained.append(RawJSON("y"), number: UInt64(number), time: 5) }
        let kept = retained.snapshot.kept
        #expect(kept.tail == nil && kept.kept.count == 50)
        let mask = try #require(SecretMask(["y"]))
        let masked = mask.masking(KeptOutput(elements: kept), limit: limit, isOver: true).elements
        #expect(masked.head.data.count <= limit / 2 && masked.head.data.count + (masked.tail?.data.count ?? 0) <= limit)
        let (first, last) = (masked.keptInHead, masked.keptInTail)
        #expect(first.count == 20 && last.count == 18)
        #expect(last.map(\.ordinal) == Array(33...50) && last.map(\.number) == Array(33...50))
        #expect(masked.missing == 12 && masked.tail?.numbers == 21...50)
        #expect(masked.kept.allSatisfy { $0.text.text == #""[redacted]""# && $0.time == 5 })
    }

    @Test("elements use a bounded memory, however many came; a closed one loses its tail and grows no more")
    func boundedElements() {
        let limit = 4096
        for size in [1, 40, 5000] {
            var retained = RetainedElements(limit: limit)
            let text = RawJSON(unchecked: Array(Self.text(size, "x").utf8))
            var most = 0
            for number in 1...40_000 {
                retained.append(text, number: UInt64(number), time: Int64(number))
                most = max(most, retained.cost)
            }
            // Up to three bytes beside each text here, and a block or two that are not dropped yet.
            #expect(most <= 3 * limit, "elements of \(size) bytes")
            #expect(retained.total == 40_000 && retained.snapshot.kept.count == 40_000)
            retained.close()
            let head = retained.snapshot.kept.keptInHead
            #expect(retained.snapshot.kept.keptInTail.isEmpty && retained.cost <= 3 * limit / 2)
            retained.append(RawJSON("new"), number: 50_000, time: 0)
            #expect(retained.snapshot.kept.keptInHead == head)
            #expect(retained.snapshot.kept.keptInTail.map(\.text.text) == [#""new""#])
            #expect(retained.snapshot.kept.keptInTail.map(\.ordinal) == [40_001])
        }
        var early = RetainedElements(limit: limit)
        early.append(RawJSON("one"), number: 1, time: 0)
        early.close()
        #expect(early.snapshot.kept.tail == nil, "nothing is missing yet")
        early.append(RawJSON("two"), number: 2, time: 0)
        early.close()
        #expect(early.snapshot.kept.keptInHead.map(\.text.text) == [#""one""#])
        let kept = early.snapshot.kept
        #expect(kept.tail?.numbers == 2...2 && kept.keptInTail.isEmpty && kept.count == 2)
    }

    @Test("a snapshot stays as it was, while elements come and others are dropped")
    func snapshots() {
        var retained = RetainedElements(limit: 4000)
        var taken: [(snapshot: RetainedElements.Snapshot, kept: KeptElements)] = []
        for number in 1...3000 {
            retained.append(RawJSON(unchecked: Array("\(number)".utf8)), number: UInt64(number), time: Int64(number))
            guard number % 97 == 0 else { continue }
            let snapshot = retained.snapshot
            taken.append((snapshot, snapshot.kept))
        }
        retained.close()
        for (snapshot, kept) in taken {
            #expect(snapshot.kept == kept && kept.kept.last?.ordinal == snapshot.total)
        }
    }

    @Test("of standard error, the first and the last bytes are kept, each with the number of elements before it")
    func errors() {
        var random = SplitMix(12)
        for round in 0..<60 * Effort.times {
            let half = [0, 1, 7, 64, 500].randomElement(using: &random)!
            let longest = [1, 10, 100, 1500].randomElement(using: &random)!
            var retained = RetainedErrors(limit: 2 * half)
            var all: [(byte: UInt8, elements: Int)] = []
            var elements = 0
            for _ in 0..<Int.random(in: 1...80, using: &random) {
                let piece = (0..<Int.random(in: 0...longest, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                piece.withUnsafeBytes { retained.append($0, after: elements) }
                all += piece.map { ($0, elements) }
                elements += Int.random(in: 0...2, using: &random)
            }
            let kept = retained.kept
            let head = all.prefix(half)
            let tail = all.dropFirst(half).suffix(half)
            let found = kept.kept.flatMap { piece in piece.bytes.map { (byte: $0, elements: piece.elements) } }
            #expect(found.map(\.byte) == (head + tail).map(\.byte), "round \(round)")
            #expect(found.map(\.elements) == (head + tail).map(\.elements), "round \(round)")
            #expect(kept.bytes == all.count && retained.total == all.count)
            let start = kept.kept.first { $0.offset >= half }?.offset
            #expect(start == (tail.isEmpty ? nil : all.count - tail.count))
            #expect((kept.tail != nil) == (all.count > half))
        }
    }

    @Test("standard error takes no more than the limit, however much secrets and elements in between lengthen it")
    func limitedErrors() throws {
        var random = SplitMix(13)
        func packed(_ kept: KeptErrors) -> Int { kept.head.data.count + (kept.tail?.data.count ?? 0) }
        for round in 0..<60 * Effort.times {
            let most = [100, 1000, 1 << 20].randomElement(using: &random)!
            let longest = [1, 5, 100].randomElement(using: &random)!
            let output = RetainedOutput(limit: most, mask: SecretMask(["abc"]))
            var (count, total) = (0, 0)
            for _ in 0..<Int.random(in: 1...80, using: &random) {
                let texts = (0..<Int.random(in: 0...longest, using: &random)).map { _ in
                    ["abc", "x", "\n"].randomElement(using: &random)!
                }
                Array(texts.joined().utf8).withUnsafeBytes { _ = output.append(error: $0, after: count, total: &total) }
                count += Int.random(in: 0...2, using: &random)
            }
            let whole = output.now(isOver: true).kept().errors
            let limit = [20, 31, 200, 900].randomElement(using: &random)!
            let kept = whole.limited(to: limit)
            let hint: Comment = "round \(round), limit \(limit) after \(most), \(whole.bytes) bytes"
            #expect(packed(whole) <= most && packed(kept) <= limit, hint)
            guard packed(whole) > limit else {
                #expect(kept == whole, hint)
                continue
            }
            #expect(packed(kept) + 50 > limit && kept.bytes == whole.bytes, hint)
            // It is a start and an end of the same, with one gap.
            let ends = [0] + kept.kept.map(\.end)
            #expect(zip(ends, kept.kept).count { $0 != $1.offset } <= 1, hint)
            #expect(limit < 200 || kept.kept.first?.offset == 0 && kept.kept.last?.end == whole.bytes, hint)
            for piece in kept.kept {
                let isSame = whole.kept.contains { one in
                    guard one.offset <= piece.offset, piece.end <= one.end, one.elements == piece.elements else {
                        return false
                    }
                    if one.replaced != nil { return one == piece }
                    return piece.replaced == nil && one.bytes[(piece.offset - one.offset)...].starts(with: piece.bytes)
                }
                #expect(isSame, hint)
            }
        }
    }

    @Test("standard error uses a bounded memory, also if an element comes after each byte; a closed one grows no more")
    func boundedErrors() {
        var retained = RetainedErrors(limit: 4096)
        var most = 0
        for count in 0..<100_000 {
            [UInt8(truncatingIfNeeded: count)].withUnsafeBytes { retained.append($0, after: count) }
            most = max(most, retained.cost)
        }
        #expect(most <= 3 * 2048 + 2 * 1026 * 16 + 2048)
        let kept = retained.kept
        #expect(kept.kept.map(\.bytes.count).reduce(0, +) == 4096 && kept.bytes == 100_000)
        let last = (97_952..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(kept.kept.flatMap(\.bytes).suffix(2048) == last[...])
        retained.close()
        #expect(retained.kept.kept.map(\.bytes.count).reduce(0, +) == 2048 && retained.kept.bytes == 100_000)
        var early = RetainedErrors(limit: 4096)
        Array("ab".utf8).withUnsafeBytes { early.append($0, after: 0) }
        early.close()
        Array("cd".utf8).withUnsafeBytes { early.append($0, after: 0) }
        #expect(early.kept.kept.map { String(decoding: $0.bytes, as: UTF8.self) } == ["ab", "cd"])
        early.close()
        #expect(early.kept.kept.map { String(decoding: $0.bytes, as: UTF8.self) } == ["ab"] && early.kept.bytes == 4)
    }

    @Test("all outputs in flight together use 64 MiB at most, and give it back at their ends")
    func total() {
        var total = 0
        let limit = 16 << 20
        let outputs = (0..<12).map { _ in RetainedOutput(limit: limit, mask: nil) }
        let text = RawJSON(unchecked: Array(Self.text(1 << 20, "x").utf8))
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        var most = 0
        for round in 0..<12 {
            for output in outputs {
                _ = output.append(text, number: UInt64(round), time: 0, total: &total)
                most = max(most, total)
                bytes.withUnsafeBytes { _ = output.append(error: $0, after: 0, total: &total) }
                most = max(most, total)
                #expect(total == outputs.reduce(0) { $0 + $1.now(isOver: false).cost })
            }
        }
        #expect(most <= RetainedOutput.costKept && most > RetainedOutput.costKept - (4 << 20))
        for output in outputs {
            let kept = output.now(isOver: false).kept()
            #expect(kept.elements.count == 12 && kept.errors.bytes == 12 << 20, "everything is counted")
            _ = output.end(total: &total)
        }
        #expect(total == 0)
    }

    @Test("it is stored after 1, 2, 4, ... 30 seconds in which it changed, and not without a change")
    func patience() {
        let output = RetainedOutput(limit: 100, mask: nil)
        var total = 0
        var times: [Int] = []
        for second in 1...100 {
            _ = output.append(RawJSON("x"), number: UInt64(second), time: 0, total: &total)
            if output.takeForStore() != nil { times.append(second) }
        }
        #expect(times == [1, 3, 7, 15, 31, 61, 91])
        let quiet = RetainedOutput(limit: 100, mask: nil)
        #expect(quiet.takeForStore() == nil && quiet.storable(isOver: true) == nil)
    }
}
