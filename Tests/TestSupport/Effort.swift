import Glibc

/// How many cases the tests try that have random or very many cases.
///
/// `make test` tries a few, so that people run it often. `RX_EFFORT=5`, as in `make effort`, multiplies them.
package enum Effort {
    package static let times = number("RX_EFFORT").map { max(1, Int($0)) } ?? 1

    /// The seeds of a test: `count` fixed ones times the effort. `RX_SEED` names one that is tried alone.
    package static func seeds(_ count: Int) -> [UInt64] {
        if let seed = number("RX_SEED") { return [seed] }
        return (0..<UInt64(count * times)).map { $0 }
    }

    /// Every `stride`th of the elements, beginning with that at `offset`; more of them with more effort.
    package static func some<Element>(_ all: [Element], stride: Int, offset: Int) -> [Element] {
        let stride = max(1, stride / times)
        return all.enumerated().filter { $0.offset % stride == offset % stride }.map(\.element)
    }

    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}
