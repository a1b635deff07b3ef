import RxTime
import Testing

@Suite("Jitter")
struct JitterTests {
    private let machine = "0123456789abcdef0123456789abcdef"

    @Test("the offset is the same in every release")
    func stable() {
        #expect(Jitter(below: 300_000_000, machine: machine, stream: "backup").offset == 45_434_332)
        #expect(Jitter(below: 300_000_000, machine: machine, stream: "report").offset == 240_513_008)
        #expect(Jitter(below: 300_000_000, machine: "x" + machine, stream: "backup").offset != 45_434_332)
    }

    @Test("0 means none")
    func none() {
        #expect(Jitter(below: 0, machine: machine, stream: "a").offset == 0)
        #expect(Jitter(below: -1, machine: machine, stream: "a").offset == 0)
        #expect(Jitter(below: 1, machine: machine, stream: "a").offset == 0)
    }

    @Test("machines and streams spread over the whole range")
    func spread() {
        for isMachine in [true, false] {
            var counts = [Int](repeating: 0, count: 10)
            for number in 0..<10_000 {
                let jitter = Jitter(
                    below: 10, machine: isMachine ? "m\(number)" : machine, stream: isMachine ? "s" : "s\(number)")
                counts[Int(jitter.offset)] += 1
            }
            #expect(counts.allSatisfy { (800...1200).contains($0) }, "\(counts)")
        }
    }
}
