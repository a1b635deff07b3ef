import RxTerminal
import Testing

@Suite struct KeyDecoderTests {
    @Test(
        arguments: [
            ("q", [.character("q")]), ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]),
            ("\u{8}", [.backspace]), ("\u{3}", [.control("c")]), ("\u{15}", [.control("u")]),
            ("\u{1B}[A", [.up]), ("\u{1B}OA", [.up]), ("\u{1B}[1;5D", [.left]), ("\u{1B}[C", [.right]),
            ("\u{1B}[B", [.down]), ("\u{1B}[H", [.home]), ("\u{1B}OF", [.end]), ("\u{1B}[3~", [.delete]),
            ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]), ("\u{1B}[Z", [.backTab]), ("\u{1B}[1~", [.home]),
            ("é日😀", [.character("é"), .character("日"), .character("😀")]),
            ("a\u{1B}[Bb", [.character("a"), .down, .character("b")]),
        ] as [(String, [Key])])
    func bytesAreKeys(text: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(text.utf8) == keys)
        #expect(!decoder.isWaiting)
    }

    @Test(arguments: ["\u{1B}[1;5A", "é", "😀", "\u{1B}OB"])
    func aKeyMayComeByteByByte(text: String) {
        var whole = KeyDecoder()
        var parts = KeyDecoder()
        var keys: [Key] = []
        for byte in text.utf8 { keys += parts.decode([byte]) }
        #expect(keys == whole.decode(text.utf8))
        #expect(keys.count == 1)
    }

    @Test func anEscapeAloneIsAKeyOnceNothingFollows() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isWaiting)
    }

    @Test func twoEscapesAreTwoKeys() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B, 0x1B]) == [.escape])
        #expect(decoder.flush() == [.escape])
    }

    @Test func anEscapeBeforeALetterIsAKeyToo() {
        var decoder = KeyDecoder()
        #expect(decoder.decode("\u{1B}x\u{1B}OM".utf8) == [.escape, .character("x"), .enter])
    }

    @Test(arguments: ["\u{1B}[<0;10;10M", "\u{1B}[201~", "\u{1B}[?1;2c"])
    func sequencesOfOtherThingsAreNoKeys(text: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(text.utf8) == [])
        #expect(decoder.decode("q".utf8) == [.character("q")])
    }

    @Test func aPastedTextIsOneKeyInOneLine() {
        var decoder = KeyDecoder()
        let bytes = "j\u{1B}[200~x\ty\r\n[31m\u{1B}[31mé\u{7}\u{1B}[201~q".utf8
        #expect(
            decoder.decode(bytes) == [.character("j"), .paste("x y  [31m[31mé"), .character("q")])
        var parts = KeyDecoder()
        var keys: [Key] = []
        for byte in bytes {
            keys += parts.decode([byte])
            // A pause within the text does not end it.
            if byte == UInt8(ascii: "x") { #expect(!parts.isWaiting && parts.flush() == []) }
        }
        #expect(keys == [.character("j"), .paste("x y  [31m[31mé"), .character("q")])
    }

    @Test func ofAPastedTextOnlyTheBeginningIsKept() {
        var decoder = KeyDecoder()
        var keys = decoder.decode("\u{1B}[200~".utf8)
        for _ in 0..<100 { keys += decoder.decode(Array(repeating: UInt8(ascii: "x"), count: 1000)) }
        keys += decoder.decode("\u{1B}[201~q".utf8)
        #expect(keys == [.paste(String(repeating: "x", count: 16_384)), .character("q")])
    }

    @Test func whatIsNotUTF8IsNoKey() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xFF, 0x80, 0xC3, UInt8(ascii: "q")]) == [.character("q")])
    }

    @Test func aSequenceWithoutAnEndIsDropped() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 100)) == [])
        #expect(!decoder.isWaiting)
        #expect(decoder.decode("q".utf8) == [.character("q")])
    }
}
