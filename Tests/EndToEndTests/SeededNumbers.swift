import Glibc

/// Random numbers from a seed: `RX_SEED`, or a new one. A test that uses them prints it.
struct SeededNumbers: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init() {
        seed = getenv("RX_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64(UInt32.random(in: 0 ... .max))
        state = seed
    }

    // A Weyl sequence through a finaliser: any seed will do, 0 as well.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
