import Testing

@testable import RxConfiguration

@Suite("A size in bytes")
struct ByteSizeTests {
    @Test(
        "is a whole number with a unit",
        arguments: [
            ("0", 0), ("0B", 0), ("1B", 1), ("512B", 512), ("1KiB", 1024), ("64KiB", 65_536), ("1MiB", 1_048_576),
            ("512MiB", 536_870_912), ("3GiB", 3_221_225_472), ("2TiB", 2_199_023_255_552), ("007KiB", 7168),
            ("9223372036854775807B", .max), ("8388607TiB", 9_223_370_937_343_148_032),
        ])
    func read(text: String, bytes: Int) { #expect(ByteSize.parse(text) == bytes) }

    @Test(
        "is nothing else",
        arguments: [
            "", "B", "MiB", "1", "00", "64MB", "64M", "64mib", "64kiB", "64 MiB", " 64MiB", "64MiB ", "1.5MiB", "-1MiB",
            "+1MiB", "1e3B", "0x10B", "1GiB512MiB", "1MiBB", "64MiB\n", "64\u{a0}MiB", "٣MiB",
            // More bytes than can be represented: a shift alone would lose the high bits.
            "8388608TiB", "16777216TiB", "9223372036854775808B", "99999999999999999999TiB",
        ])
    func refused(text: String) { #expect(ByteSize.parse(text) == nil) }

    @Test("is written with the largest unit that has no remainder, and read back")
    func written() {
        #expect(
            [0, 1, 1000, 1024, 1536, 65_536, 1_048_576, 1_073_741_824, 17_179_869_184, 1 << 40].map(ByteSize.text) == [
                "0B", "1B", "1000B", "1KiB", "1536B", "64KiB", "1MiB", "1GiB", "16GiB", "1TiB",
            ])
        for bytes in [0, 1, 4096, 5000, 268_435_456, 3 << 41, .max] {
            #expect(ByteSize.parse(ByteSize.text(bytes)) == bytes)
        }
    }
}
