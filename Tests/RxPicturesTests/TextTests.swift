import Testing

@testable import RxPictures

@Suite struct TextTests {
    @Test func eastAsianCharactersAndEmojiTakeTwoColumns() {
        #expect("abc".columns == 3)
        #expect("保存".columns == 4)
        #expect("e\u{301}".columns == 1)
        #expect("👩‍👩‍👧‍👦".columns == 2)
        #expect("├─▶".columns == 3)
    }

    @Test func aCutTextEndsInAnEllipsisAndFits() {
        #expect("abcdef".cut(columns: 6) == "abcdef")
        #expect("abcdef".cut(columns: 4) == "abc…")
        #expect("保存する".cut(columns: 5) == "保存…")
        #expect("保存する".cut(columns: 6) == "保存…")
        #expect("ab".cut(columns: 0) == "")
    }

    @Test func aCutTextIsNoWiderInPixels() {
        for most in [20, 50, 90, 200] {
            let cut = TextWidth.cut("The quick brown 狐 jumps over", to: most, size: 13)
            #expect(TextWidth.pixels(cut, size: 13) <= most)
        }
    }

    @Test func controlCharactersAndChangesOfDirectionAreReplaced() {
        #expect("a\n\t b\u{1B}[31m\u{202E}c ".oneLine == "a b\u{FFFD}[31m\u{FFFD}c")
    }

    @Test(
        arguments: [
            (0, "0"), (0.26, "0.3"), (9.96, "10"), (999.4, "999"), (999.6, "1k"), (1234, "1.2k"), (12_345, "12k"),
            (3_000_000, "3M"),
        ] as [(Double, String)])
    func ratesHaveAtMostFourCharacters(number: Double, text: String) {
        #expect(Figures.short(number) == text)
    }

    @Test(
        arguments: [
            (0, "0ms"), (350, "350ms"), (2500, "2.5s"), (45_000, "45s"), (190_000, "3m10s"), (7_200_000, "2h"),
            (356_400_000, "4d3h"),
        ] as [(Int64, String)])
    func durationsHaveTwoUnits(milliseconds: Int64, text: String) {
        #expect(Figures.duration(milliseconds) == text)
    }

    @Test func placesKeepTheirDistanceAndMoveAsLittleAsPossible() {
        #expect(Isotonic.places([0, 0, 10], distances: [4, 4]) == [-2, 2, 10])
        #expect(Isotonic.places([5, 3], distances: [0], weights: [3, 1]) == [4.5, 4.5])
        #expect(Isotonic.places([-5, 20], distances: [1], bounds: 0...10) == [0, 10])
    }
}
