import Glibc
import Testing

@testable import RxTime

@Suite("Zone files")
struct TZifFileTests {
    private let berlin: [UInt8]

    init() throws {
        let file = try #require(fopen("/usr/share/zoneinfo/Europe/Berlin", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100_000)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        berlin = bytes
    }

    private func fault(_ bytes: [UInt8]) -> ZoneFault? {
        do throws(ZoneFault) {
            _ = try TimeZoneRules(name: "x", file: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Whatever the rules are, they can be used.
    private func use(_ zone: TimeZoneRules) {
        for seconds in [Int64.min, -9_000_000_000_000, -1, 0, 1_800_000_000, 4_000_000_000, 9_000_000_000_000, .max] {
            let instant = Instant(seconds: seconds)
            let period = zone.period(at: instant)
            #expect(period.start <= instant)
            #expect(instant < period.end || period.end.microseconds == .max)
        }
        _ = zone.firstInstant(reaching: LocalTime(year: 2026, month: 3, day: 29, hour: 2, minute: 30))
    }

    @Test("a file that ends early is refused wherever it ends")
    func truncated() {
        for count in 0..<berlin.count { #expect(fault(Array(berlin[..<count])) != nil) }
    }

    @Test("a file with any byte changed is refused, or its rules can be used")
    func flipped() {
        var numbers = SplitMix(seed: 1)
        var refused = 0
        for place in berlin.indices {
            for value in [berlin[place] ^ 0x80, berlin[place] ^ 1, 0xFF, UInt8.random(in: 0...255, using: &numbers)] {
                var bytes = berlin
                bytes[place] = value
                if let zone = try? TimeZoneRules(name: "x", file: bytes) { use(zone) } else { refused += 1 }
            }
        }
        #expect(refused > berlin.count / 4)
    }

    @Test("random bytes after a valid beginning are refused or can be used")
    func noise() {
        var numbers = SplitMix(seed: 2)
        for length in 0..<2000 {
            let start = Array(berlin.prefix(length % 60))
            let bytes = start + (0..<length / 4).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            if let zone = try? TimeZoneRules(name: "x", file: bytes) { use(zone) }
        }
    }

    @Test("versions 1 to 4 are read; version 1 has no rule for later times")
    func versions() throws {
        var builder = TZifBuilder()
        builder.times = [1_000_000_000]
        builder.indices = [1]
        builder.types = [(0, 0, 0), (3600, 1, 4)]
        builder.names = Array("UTC\0ONE\0".utf8)
        builder.footer = "\nTWO-2\n"
        for version: UInt8 in [0, 0x32, 0x33, 0x34] {
            builder.version = version
            let zone = try TimeZoneRules(name: "x", file: builder.bytes)
            #expect(zone.period(at: Instant(seconds: 0)).abbreviation == "UTC")
            #expect(zone.period(at: Instant(seconds: 999_999_999)).end == Instant(seconds: 1_000_000_000))
            let later = zone.period(at: Instant(seconds: 1_000_000_000))
            #expect(later.abbreviation == (version == 0 ? "ONE" : "TWO"))
            #expect(later.offset == (version == 0 ? 3600 : 7200))
            #expect(later.start == Instant(seconds: 1_000_000_000))
        }
        builder.version = 0x35
        #expect(fault(builder.bytes) == .invalidFile(offset: 4, "expected a version from 1 to 4"))
    }

    @Test("a zone with only a rule has it at all times")
    func onlyFooter() throws {
        var builder = TZifBuilder()
        builder.footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n"
        let zone = try TimeZoneRules(name: "x", file: builder.bytes)
        #expect(local(try at("1975-07-01T00:00:00Z"), zone) == "1975-07-01T02:00:00+02:00")
        #expect(local(try at("2199-01-01T00:00:00Z"), zone) == "2199-01-01T01:00:00+01:00")
    }

    @Test("a zone without a rule keeps the last local time")
    func noFooter() throws {
        var builder = TZifBuilder()
        builder.footer = "\n\n"
        #expect(try TimeZoneRules(name: "x", file: builder.bytes).period(at: .horizon).abbreviation == "UTC")
    }

    @Test("records that contradict each other are refused where they are")
    func contradictions() {
        func fault(_ change: (inout TZifBuilder) -> Void) -> ZoneFault? {
            var builder = TZifBuilder(times: [1, 2], indices: [0, 0])
            change(&builder)
            return self.fault(builder.bytes)
        }
        let start = 44 + 6 + 4 + 44
        #expect(fault { _ in } == nil)
        #expect(fault { $0.times = [2, 2] } == .invalidFile(offset: start + 8, "the changes do not ascend"))
        #expect(fault { $0.indices = [0, 7] } == .invalidFile(offset: start + 17, "there is no such local time"))
        #expect(
            fault { $0.names = Array("UTC".utf8) } == .invalidFile(offset: start + 22, "the abbreviation has no end"))
        #expect(
            fault { $0.types[0].offset = 100_000 }
                == .invalidFile(offset: start + 18, "the offset is larger than a day"))
        #expect(fault { $0.types[0].isDaylight = 2 } == .invalidFile(offset: start + 22, "expected 0 or 1"))
        #expect(fault { $0.types = [] } == .invalidFile(offset: start - 6, "expected 1 to 256 local times"))
        #expect(
            fault { $0.leapSeconds = 1 } == .invalidFile(offset: start, "files with leap seconds are not supported"))
        #expect(
            fault { $0.footer = "\nCET-1CEST\n" }
                == .invalidRule("CET-1CEST", position: 9, expected: "a number from 0 to 24"))
        #expect(fault { $0.footer = "UTC0\n" } != nil)
        #expect(fault { $0.footer = "\nUTC0" } != nil)
        #expect(self.fault([UInt8](repeating: 0, count: 2 << 20)) != nil)
    }

    @Test("numbers of records that no file can have are refused before memory is allocated for them")
    func hugeCounts() {
        for place in 20..<44 {
            var bytes = TZifBuilder(version: 0).bytes
            bytes[place] = 0x7F
            #expect(fault(bytes) != nil)
        }
    }
}
